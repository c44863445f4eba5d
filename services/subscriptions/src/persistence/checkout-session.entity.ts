import { defineEntity, p } from '@mikro-orm/postgresql';
import type { CustomerId, PriceId, ProjectId, TeamId } from '@billing/contracts/ids';

/** `reserved` until the processor has created the session, `open` until the customer has paid or it expires. */
export type CheckoutState = 'reserved' | 'open' | 'complete' | 'expired';

const CheckoutSessionSchema = defineEntity({
  name: 'CheckoutSession',
  tableName: 'checkout_sessions',
  uniques: [
    { name: 'checkout_sessions_processor_id_unique', properties: ['teamId', 'projectId', 'processorSessionId'] },
  ],
  properties: {
    /** The operation key of the request that created it. */
    id: p.uuid().primary(),
    teamId: p.text().$type<TeamId>(),
    projectId: p.text().$type<ProjectId>(),
    customerId: p.text().$type<CustomerId>(),
    priceId: p.text().$type<PriceId>(),
    state: p.text().$type<CheckoutState>(),
    /** Null while it is reserved. */
    processorSessionId: p.text().strictNullable(),
    /** The hosted page; null while it is reserved. */
    url: p.text().strictNullable(),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
  },
});

/** A hosted checkout session that this service has created. */
export class CheckoutSession extends CheckoutSessionSchema.class {}
CheckoutSessionSchema.setClass(CheckoutSession);
