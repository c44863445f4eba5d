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
    publishableKey: p.text(),
    /** Opens with the credentials key, for this team only. */
    sealedSecretKey: p.text(),
    secretKeyLast4: p.text(),
    /** Grows each time credentials are connected. */
    version: p.integer(),
    connectedAt: p.datetime(),
    updatedAt: p.datetime(),
  },
});

/** A team's Stripe account. */
export class ProcessorAccount extends ProcessorAccountSchema.class {}
ProcessorAccountSchema.setClass(ProcessorAccount);
