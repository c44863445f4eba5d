import { defineEntity, p } from '@mikro-orm/postgresql';
import type { CustomerId, PriceId, ProjectId, TeamId } from '@billing/contracts/ids';
import type { NewCheckoutSession } from '@billing/processor/port';

/**
 * `reserved` is on its way to the processor and shown to nobody; `open` waits for the customer; `complete` and
 * `expired` are the processor's words; `void` was refused or given up.
 */
export type CheckoutState = 'reserved' | 'open' | 'complete' | 'expired' | 'void';

const CheckoutSessionSchema = defineEntity({
  name: 'CheckoutSession',
  tableName: 'checkout_sessions',
  uniques: [
    { name: 'checkout_sessions_processor_id_unique', properties: ['teamId', 'projectId', 'processorSessionId'] },
  ],
  indexes: [{ name: 'checkout_sessions_reserved', properties: ['claimedUntil'], where: "state = 'reserved'" }],
  properties: {
    id: p.uuid().primary(),
    teamId: p.text().$type<TeamId>(),
    projectId: p.text().$type<ProjectId>(),
    customerId: p.text().$type<CustomerId>(),
    priceId: p.text().$type<PriceId>(),
    /** What the processor is asked for; the same on every attempt, as its idempotency key demands. */
    request: p.json<NewCheckoutSession>(),
    state: p.text().$type<CheckoutState>(),
    processorSessionId: p.text().nullable(),
    url: p.text().nullable(),
    attempts: p.integer(),
    error: p.text().nullable(),
    /** Whoever holds the claim is at work until then. */
    claimedUntil: p.datetime(),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
  },
});

/** A hosted checkout: reserved before the processor is asked, so that a crash leaves a trace to follow. */
export class CheckoutSession extends CheckoutSessionSchema.class {}
CheckoutSessionSchema.setClass(CheckoutSession);
