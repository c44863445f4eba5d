import type { Stripe } from 'stripe';
import { z } from 'zod';
import { endpoint, endpointOn, onlyExpand, reads } from '../api/endpoint.ts';
import { invalidRequest, noSuch } from '../api/errors.ts';
import { listPage } from '../api/lists.ts';
import { boolean, choice, created, expand, page, parameters, text } from '../api/parameters.ts';
import type { UnitOfWork } from '../api/unit-of-work.ts';
import { cancelSubscription } from '../billing/cancel-subscription.ts';
import { resumeSubscription } from '../billing/resume-subscription.ts';
import { existing } from '../objects/finding.ts';
import { hasEnded } from '../objects/subscription.ts';
import type { Subscription } from '../objects/stored.ts';
import { createParameters, createSubscription } from './subscription-create.ts';
import { cancellationDetails, detailsOf, updateParameters, updateSubscription } from './subscription-update.ts';

const STATUSES = [
  'active',
  'all',
  'canceled',
  'ended',
  'incomplete',
  'incomplete_expired',
  'past_due',
  'paused',
  'trialing',
  'unpaid',
] as const;

const listParameters = parameters<Stripe.SubscriptionListParams>()({
  ...page,
  created,
  customer: text().optional(),
  price: text().optional(),
  status: choice(...STATUSES).optional(),
  test_clock: text().optional(),
});
const cancelParameters = parameters<Stripe.SubscriptionCancelParams>()({
  cancellation_details: cancellationDetails.optional(),
  expand,
  invoice_now: boolean.optional(),
  prorate: boolean.optional(),
});
const resumeParameters = parameters<Stripe.SubscriptionResumeParams>()({
  billing_cycle_anchor: z.strictObject({ type: choice('now', 'unchanged') }).optional(),
  expand,
  payment_behavior: choice('resume_on_payment_attempt', 'resume_on_payment_success').optional(),
  proration_behavior: choice('always_invoice', 'create_prorations', 'none').optional(),
});

export const subscriptionEndpoints = [
  endpoint('POST', '/v1/subscriptions', createParameters, createSubscription),
  ...reads('subscription', '/v1/subscriptions', listParameters, {
    by: ['customer'],
    isListed: (row, { customer, price, status, test_clock: clock }) =>
      isWanted(row, status) &&
      isOnClock(row, clock, customer !== undefined) &&
      (price === undefined || row.items.data.some(item => item.price.id === price)),
  }),
  endpointOn('subscription', 'POST', '/v1/subscriptions/:id', updateParameters, updateSubscription),
  endpointOn('subscription', 'DELETE', '/v1/subscriptions/:id', cancelParameters, cancel),
  endpoint(
    'GET',
    '/v1/subscription_items',
    parameters<Stripe.SubscriptionItemListParams>()({ ...page, subscription: text() }),
    (unit, given, { url }) => {
      const { items } = existing(unit, 'subscription', given.subscription);
      return listPage(items.data, given, url, 'subscription_item');
    },
  ),
  endpoint('GET', '/v1/subscription_items/:id', onlyExpand, (unit, _, { id }) => {
    const items = unit.tables.subscription.newestFirst().flatMap(row => row.items.data);
    const item = items.find(one => one.id === id);
    if (!item) throw noSuch('subscription_item', id);
    return item;
  }),
  endpointOn('subscription', 'POST', '/v1/subscriptions/:id/resume', resumeParameters, (unit, subscription, given) => {
    if (subscription.status !== 'paused')
      throw invalidRequest(
        `You can only resume subscriptions with a status of 'paused', but this one is ${subscription.status}.`,
      );
    return resumeSubscription(unit, subscription, {
      restarts: given.billing_cycle_anchor?.type !== 'unchanged',
      proration: given.proration_behavior ?? 'create_prorations',
      waitsForPayment: given.payment_behavior === 'resume_on_payment_success',
    });
  }),
];

/** Returns whether a row matches the status filter. Without a filter, canceled subscriptions are omitted. */
function isWanted(row: Subscription, status: (typeof STATUSES)[number] | undefined): boolean {
  if (status === 'all') return true;
  if (status === undefined) return row.status !== 'canceled';
  return status === 'ended' ? hasEnded(row) : row.status === status;
}

/** Returns whether a row matches the clock filter. Without one, those on clocks are listed only by their customer. */
function isOnClock({ test_clock: own }: Subscription, wanted: string | undefined, isByCustomer: boolean): boolean {
  return wanted === undefined ? isByCustomer || own === null : own === wanted;
}

function cancel(unit: UnitOfWork, subscription: Subscription, given: z.output<typeof cancelParameters>): Subscription {
  // As with Stripe, canceling a canceled subscription returns 404.
  if (hasEnded(subscription)) throw noSuch('subscription', subscription.id);
  const cancellation_details = detailsOf(subscription, given);
  const changes = { cancel_at_period_end: false, cancel_at: null, canceled_at: unit.now, cancellation_details };
  const { prorate = false, invoice_now: invoiceNow = false } = given;
  return cancelSubscription(unit, { ...subscription, ...changes }, { prorate, invoiceNow });
}
