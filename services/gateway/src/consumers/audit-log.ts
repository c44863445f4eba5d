import { AuditRecorded } from '@billing/contracts/events/audit';
import { consumer, type Consumer } from '@billing/messaging/consumer/consumer';
import { insertAuditEntries } from '#persistence/insert-audit-entries.ts';

/** Adds the writes of all services to the audit log, each once, in any order. */
export function auditLog(): Consumer {
  return consumer('gateway-audit-log', 'audit.recorded.v1').on(AuditRecorded, (tx, deliveries) =>
    insertAuditEntries(
      tx,
      deliveries.map(({ teamId, data }) => ({ teamId, entry: data })),
    ),
  );
}
