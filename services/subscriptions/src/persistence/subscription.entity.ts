import { defineEntity, p } from '@mikro-orm/postgresql';
import type { BilledItem } from '@billing/contracts/events/subscriptions';
import type { CustomerId, PriceId, ProjectId, SubscriptionId, TeamId } from '@billing/contracts/ids';
import type { SubscriptionStatus } from '@billing/contracts/resources/subscription';
import type { Rank } from '#domain/sighting.ts';

const SubscriptionSchema = defineEntity({
  name: 'Subscription',
  tableName: 'subscriptions',
  uniques: [
    {
      name: 'subscriptions_processor_id_unique',
      properties: ['teamId', 'projectId', 'processorSubscriptionId'],
    },
  ],
  indexes: [
    { name: 'subscriptions_newest', properties: ['teamId', 'projectId', 'createdAt', 'id'] },
    { name: 'subscriptions_customer', properties: ['teamId', 'projectId', 'customerId'] },
    { name: 'subscriptions_processor_customer', properties: ['teamId', 'projectId', 'processorCustomerId'] },
  ],
  properties: {
    id: p.text().$type<SubscriptionId>().primary(),
    teamId: p.text().$type<TeamId>(),
    projectId: p.text().$type<ProjectId>(),
    customerId: p.text().$type<CustomerId>(),
    processorSubscriptionId: p.text(),
    processorCustomerId: p.text(),
    /** Of the first item; null while its price is not known to the catalog. */
    priceId: p.text().$type<PriceId>().nullable(),
    status: p.text().$type<SubscriptionStatus>(),
    /** Of the first item. */
    quantity: p.integer(),
    cancelAtPeriodEnd: p.boolean(),
    /** When it ends by itself; null while it goes on. */
    cancelAt: p.datetime().nullable(),
    /** Its own copy of what it bills: deleting a price changes nothing for it. */
    items: p.json<BilledItem[]>(),
    currentPeriodStart: p.datetime(),
    currentPeriodEnd: p.datetime(),
    trialEnd: p.datetime().nullable(),
    startedAt: p.datetime(),
    endedAt: p.datetime().nullable(),
    metadata: p.json<Record<string, string>>(),
    /** Grows with every change that the bus hears of. */
    version: p.integer(),
    /** The processor's time of the newest event that is included; null while only its answers are. */
    asOf: p.datetime().nullable(),
    asOfRank: p.smallint().$type<Rank>().nullable(),
    asOfEvent: p.text().nullable(),
    /** When the processor's own answer was last kept, by our clock. */
    readAt: p.datetime().nullable(),
    /** Counts what was ordered at the processor, so that each order has an idempotency key of its own. */
    orders: p.integer(),
    /** The processor's. */
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
  },
});

/** A customer's subscription, as the processor last told of it. */
export class Subscription extends SubscriptionSchema.class {}
SubscriptionSchema.setClass(Subscription);
