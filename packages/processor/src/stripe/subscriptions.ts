import type { Stripe } from 'stripe';
import { PAGE_SIZE } from '../page-size.ts';
import type { Processor } from '../port.ts';
import { readSubscription } from '../snapshots/subscription.ts';
import { given, idOf, write, type Calls } from './calls.ts';
import { completeEach, completeLists, WITH_DISCOUNTS } from './nested-lists.ts';
import { complete } from './pending-payment.ts';

type Subscriptions = Pick<
  Processor,
  | 'findSubscription'
  | 'listSubscriptions'
  | 'setCancelAtPeriodEnd'
  | 'cancelSubscription'
  | 'setSubscriptionPaymentMethod'
>;

/** Subscriptions; `reads` finds what Stripe's subscriptions lack. */
export function subscriptionCalls(
  { stripe, call }: Calls,
  reads: Pick<Processor, 'findPrice' | 'findPendingPayment'>,
): Subscriptions {
  // Not expanded by the call itself: a write repeated under its idempotency key must have the same parameters.
  const subscriptionFrom = async (request: () => Promise<Stripe.Subscription>) =>
    complete(await call(async () => readSubscription(await completeLists(stripe, await request()))), reads);

  return {
    findSubscription: id => subscriptionFrom(() => stripe.subscriptions.retrieve(id, WITH_DISCOUNTS)),
    listSubscriptions: async (customer, after) => {
      const page = { limit: PAGE_SIZE, ...given({ starting_after: after }) };
      const expand = WITH_DISCOUNTS.expand.map(path => `data.${path}`);
      const listed = await call(async () => {
        const { data } = await stripe.subscriptions.list({ customer, status: 'all', ...page, expand });
        return (await completeEach(stripe, data)).map(readSubscription);
      });
      return Promise.all(listed.map(subscription => complete(subscription, reads)));
    },
    setCancelAtPeriodEnd: (id, cancelAtPeriodEnd, key) =>
      subscriptionFrom(async () => {
        if (cancelAtPeriodEnd) return stripe.subscriptions.update(id, { cancel_at_period_end: true }, write(key));
        const current = await stripe.subscriptions.retrieve(id);
        // The two fields may not be sent together; each is cleared under an idempotency key of its own.
        const byPeriod = current.cancel_at_period_end;
        const changes = byPeriod ? { cancel_at_period_end: false } : { cancel_at: '' as const };
        return stripe.subscriptions.update(id, changes, write(`${key}:${byPeriod ? 'period' : 'time'}`));
      }),
    cancelSubscription: (id, key) =>
      subscriptionFrom(async () => {
        // A repeat finds the schedule released; each write has an idempotency key of its own.
        const { schedule } = await stripe.subscriptions.retrieve(id);
        const scheduleId = idOf(schedule);
        if (scheduleId !== null) await stripe.subscriptionSchedules.release(scheduleId, {}, write(`${key}:release`));
        return stripe.subscriptions.cancel(id, {}, write(key));
      }),
    setSubscriptionPaymentMethod: (id, paymentMethodId, key) =>
      subscriptionFrom(() => stripe.subscriptions.update(id, { default_payment_method: paymentMethodId }, write(key))),
  };
}
