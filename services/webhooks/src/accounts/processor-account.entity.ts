import { defineEntity, p } from '@mikro-orm/postgresql';
import type { TeamId } from '@billing/contracts/ids';

const ProcessorAccountSchema = defineEntity({
  name: 'ProcessorAccount',
  tableName: 'processor_accounts',
  properties: {
    teamId: p.text().$type<TeamId>().primary(),
    /** Stripe's id of the account that the key belongs to. */
    accountId: p.text(),
    livemode: p.boolean(),
    publishableKey: p.text().strictNullable(),
    /** Opens with the credentials key, for this team only; null while the team is disconnected. */
    sealedSecretKey: p.text().strictNullable(),
    secretKeyLast4: p.text(),
    /** The webhook endpoint at Stripe that this service made for the connection; null for one that others made. */
    webhookEndpointId: p.text().strictNullable(),
    /** Grows each time credentials are connected; never that of two accounts. */
    version: p.integer(),
    connectedAt: p.datetime(),
    updatedAt: p.datetime(),
    /** Set while the team is disconnected: the records of the account stay. */
    disconnectedAt: p.datetime().strictNullable(),
    /** Set once everything was deleted that mirrored it: any account may be connected then. */
    purgedAt: p.datetime().strictNullable(),
  },
});

/** The Stripe account to which a team is connected, or was last. */
export class ProcessorAccount extends ProcessorAccountSchema.class {}
ProcessorAccountSchema.setClass(ProcessorAccount);
