import { defineEntity, p } from '@mikro-orm/postgresql';
import type { CustomerId, PriceId, ProjectId, TeamId } from '@billing/contracts/ids';
import type { RecordedCheckout } from './checkout.rules.ts';

/** `reserved` until the processor has created the session, `open` until something has come of it. */
export type CheckoutState = RecordedCheckout['state'];

const CheckoutSessionSchema = defineEntity({
  name: 'CheckoutSession',
  tableName: 'checkout_sessions',
  uniques: [
    { name: 'checkout_sessions_processor_id_unique', properties: ['teamId', 'projectId', 'processorSessionId'] },
  ],
  indexes: [
    {
      name: 'checkout_sessions_open',
      properties: ['customerId', 'teamId', 'projectId'],
      where: `state = 'open'`,
    },
  ],
  properties: {
    /** The operation key of the request that created it; any for one that this service has not created. */
    id: p.uuid().primary(),
    teamId: p.text().$type<TeamId>(),
    projectId: p.text().$type<ProjectId>(),
    customerId: p.text().$type<CustomerId>(),
    /** Of what it sells first. Null for one that this service has not created. */
    priceId: p.text().$type<PriceId>().strictNullable(),
    /** All that it sells; empty for one that was created before they were known. */
    priceIds: p.array().$type<PriceId[]>().defaultRaw(`'{}'`),
    state: p.text().$type<CheckoutState>(),
    /** Null while it is reserved. */
    processorSessionId: p.text().strictNullable(),
    /** The subscription that it created. */
    processorSubscriptionId: p.text().strictNullable(),
    /** The hosted page; null while it is reserved, and of an embedded one. */
    url: p.text().strictNullable(),
    /** Shows the embedded page; null of a hosted one. */
    clientSecret: p.text().strictNullable(),
    /** When it was read at the processor for a caller who waited for it. */
    readAt: p.datetime().strictNullable(),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
  },
});

/** A checkout session that this service has created, or read for a caller who waited for it. */
export class CheckoutSession extends CheckoutSessionSchema.class {}
CheckoutSessionSchema.setClass(CheckoutSession);
