import type { Cancellation } from '@billing/contracts/resources/cancellation';
import type { Stripe } from 'stripe';
import { PAGE_SIZE } from '../page-size.ts';
import type { FinalBilling, Processor } from '../port.ts';
import { readSubscription } from '../snapshots/subscription.ts';
import { lacksDiscounts } from '../snapshots/subscription-discounts.ts';
import { resumptionOf } from './plan-changes.ts';
import { given, idOf, inSeconds, write, type Calls } from './calls.ts';
import { completeEach, WHOLE_SUBSCRIPTION } from './nested-lists.ts';
import { complete, type CompletingReads } from './pending-payment.ts';
import { wholeSubscriptions } from './whole-subscriptions.ts';

const NOTHING: Cancellation = { reason: null, comment: null };

/** An empty text clears a detail. */
const detailsOf = (cancellation: Cancellation | null) =>
  cancellation && {
    cancellation_details: { feedback: cancellation.reason ?? ('' as const), comment: cancellation.comment ?? '' },
  };

const finalBillingOf = ({ prorate, invoiceNow }: FinalBilling) => ({ prorate, invoice_now: invoiceNow });

type Subscriptions = Pick<
  Processor,
  | 'findSubscription'
  | 'listSubscriptions'
  | 'setCancelAtPeriodEnd'
  | 'cancelSubscription'
  | 'setSubscriptionPaymentMethod'
  | 'setAutomaticTax'
  | 'pauseCollection'
  | 'setTrialEnd'
  | 'resumeCollection'
  | 'resumeSubscription'
>;

/** Subscriptions; `reads` finds what Stripe's subscriptions lack. */
export function subscriptionCalls(calls: Calls, reads: CompletingReads): Subscriptions {
  const { stripe, call } = calls;
  const subscriptionFrom = wholeSubscriptions(calls, reads);
  const update = (id: string, changes: Stripe.SubscriptionUpdateParams, key: string) =>
    stripe.subscriptions.update(id, { ...changes, ...WHOLE_SUBSCRIPTION }, write(key));
  const findSubscription = (id: string) =>
    subscriptionFrom(() => stripe.subscriptions.retrieve(id, WHOLE_SUBSCRIPTION));

  return {
    findSubscription,
    listSubscriptions: async (customer, after) => {
      const page = { limit: PAGE_SIZE, ...given({ starting_after: after }) };
      const listed = await call(async () => {
        const { data } = await stripe.subscriptions.list({
          customer,
          status: 'all',
          ...page,
          expand: ['data.customer'],
        });
        return (await completeEach(stripe, data)).map(readSubscription);
      });
      // A list expands four levels at most, too few for the products of coupons.
      return Promise.all(listed.map(it => (lacksDiscounts(it) ? findSubscription(it.id) : complete(it, reads))));
    },
    setCancelAtPeriodEnd: (id, cancelAtPeriodEnd, key, cancellation = null) =>
      subscriptionFrom(async () => {
        if (cancelAtPeriodEnd) return update(id, { cancel_at_period_end: true, ...detailsOf(cancellation) }, key);
        const current = await stripe.subscriptions.retrieve(id);
        // The two fields may not be sent together; each is cleared under an idempotency key of its own.
        const byPeriod = current.cancel_at_period_end;
        const changes = byPeriod ? { cancel_at_period_end: false } : { cancel_at: '' as const };
        return update(id, { ...changes, ...detailsOf(NOTHING) }, `${key}:${byPeriod ? 'period' : 'time'}`);
      }),
    cancelSubscription: (id, key, cancellation = null, billing) =>
      subscriptionFrom(async () => {
        // A repeat finds the schedule released; each write has an idempotency key of its own.
        const { schedule } = await stripe.subscriptions.retrieve(id);
        const scheduleId = idOf(schedule);
        if (scheduleId !== null) await stripe.subscriptionSchedules.release(scheduleId, {}, write(`${key}:release`));
        const params = { ...detailsOf(cancellation), ...(billing && finalBillingOf(billing)), ...WHOLE_SUBSCRIPTION };
        return stripe.subscriptions.cancel(id, params, write(key));
      }),
    setAutomaticTax: (id, enabled, key) =>
      subscriptionFrom(() => update(id, { automatic_tax: { enabled }, proration_behavior: 'none' }, key)),
    setTrialEnd: (id, trialEnd, key) =>
      subscriptionFrom(() => update(id, { trial_end: inSeconds(trialEnd), proration_behavior: 'none' }, key)),
    pauseCollection: (id, { behavior, resumesAt }, key) =>
      subscriptionFrom(() => {
        const pause = { behavior, ...given({ resumes_at: resumesAt ? inSeconds(resumesAt) : undefined }) };
        return update(id, { pause_collection: pause }, key);
      }),
    resumeCollection: (id, key) => subscriptionFrom(() => update(id, { pause_collection: '' }, key)),
    resumeSubscription: (id, restarts, key) =>
      subscriptionFrom(() => {
        const params = { ...resumptionOf(restarts), payment_behavior: 'resume_on_payment_success' as const };
        return stripe.subscriptions.resume(id, { ...params, ...WHOLE_SUBSCRIPTION }, write(key));
      }),
    setSubscriptionPaymentMethod: (id, paymentMethodId, key) =>
      subscriptionFrom(() => update(id, { default_payment_method: paymentMethodId }, key)),
  };
}
