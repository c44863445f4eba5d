import { defineEntity, p } from '@mikro-orm/postgresql';
import type { TeamId } from '@billing/contracts/ids';

const ReconciliationSchema = defineEntity({
  name: 'Reconciliation',
  tableName: 'reconciliations',
  indexes: [{ name: 'reconciliations_due', properties: ['dueAt'] }],
  properties: {
    teamId: p.text().$type<TeamId>().primary(),
    /** Another Stripe account has other events: for one the scan starts again. */
    accountId: p.text(),
    /** Every event from before then, by Stripe's time, has been scanned. */
    scannedUntil: p.datetime(),
    /** Whether events that went undelivered before the account was connected have been scanned. */
    hasBackfilled: p.boolean(),
    /** When to scan next; the end of the lease while a scan runs. */
    dueAt: p.datetime(),
    leaseId: p.uuid().nullable(),
    /** Scans that failed one after another. */
    failures: p.integer(),
  },
});

/** How far a team's events at Stripe have been scanned for events that no webhook delivered. */
export class Reconciliation extends ReconciliationSchema.class {}
ReconciliationSchema.setClass(Reconciliation);
