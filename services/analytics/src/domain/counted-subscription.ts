import { billedItem, subscriptionChange } from '@billing/contracts/events/subscriptions';
import { z } from 'zod';

/** The part of a subscription's newest state that is counted, with all that its timeline follows from but what was shown. */
export const countedSubscription = subscriptionChange
  .pick({
    customerId: true,
    status: true,
    pauseCollection: true,
    cancelAtPeriodEnd: true,
    canceledAt: true,
    cancellation: true,
    involuntary: true,
    startedAt: true,
    endedAt: true,
    currentPeriodEnd: true,
    trialEnd: true,
    discounts: true,
    observedAt: true,
    createdAt: true,
    testClockId: true,
  })
  .extend({
    // Records that were counted before have no price.
    items: z.array(
      billedItem.omit({ processorPriceId: true }).extend({ priceId: billedItem.shape.priceId.default(null) }),
    ),
  });

export type CountedSubscription = z.output<typeof countedSubscription>;
