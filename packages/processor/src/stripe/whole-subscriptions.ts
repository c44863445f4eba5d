import type { Stripe } from 'stripe';
import { readSubscription, type SubscriptionSnapshot } from '../snapshots/subscription.ts';
import type { Calls } from './calls.ts';
import { completeLists } from './nested-lists.ts';
import { complete, type CompletingReads } from './pending-payment.ts';

/** Returns what calls for a subscription, and reads it with all that its object does not contain. */
export const wholeSubscriptions =
  ({ stripe, call }: Calls, reads: CompletingReads) =>
  async (request: () => Promise<Stripe.Subscription>): Promise<SubscriptionSnapshot> =>
    complete(await call(async () => readSubscription(await completeLists(stripe, await request()))), reads);
