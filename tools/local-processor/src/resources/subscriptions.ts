import type { Stripe } from 'stripe';
import type { z } from 'zod';
import { endpoint } from '../api/endpoint.ts';
import { invalidRequest, noSuch } from '../api/errors.ts';
import { createdWithin, listPage } from '../api/lists.ts';
import { boolean, choice, created, expand, page, parameters, text } from '../api/parameters.ts';
import type { UnitOfWork } from '../api/unit-of-work.ts';
import { endSubscription, resumeSubscription } from '../billing/subscriptions.ts';
import { inItsTime } from '../objects/test-clock.ts';
import { hasEnded } from '../objects/subscription.ts';
import type { Subscription } from '../objects/stored.ts';
import { cancellationDetails } from './cancellation-details.ts';
import { createParameters, createSubscription } from './subscription-create.ts';
import { detailsOf, updateParameters, updateSubscription } from './subscription-update.ts';

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
  billing_cycle_anchor: choice('now', 'unchanged').optional(),
  expand,
  proration_behavior: choice('always_invoice', 'create_prorations', 'none').optional(),
});

export const subscriptionEndpoints = [
  endpoint('POST', '/v1/subscriptions', createParameters, createSubscription),
  endpoint('GET', '/v1/subscriptions', listParameters, listSubscriptions),
  endpoint(
    'GET',
    '/v1/subscriptions/:id',
    parameters<Stripe.SubscriptionRetrieveParams>()({ expand }),
    (unit, _, { id }) => existingSubscription(unit, id),
  ),
  endpoint('POST', '/v1/subscriptions/:id', updateParameters, (unit, given, { id }) =>
    updateSubscription(unit, existingSubscription(unit, id), given),
  ),
  endpoint('DELETE', '/v1/subscriptions/:id', cancelParameters, (unit, given, { id }) => cancel(unit, id, given)),
  endpoint(
    'GET',
    '/v1/subscription_items',
    parameters<Stripe.SubscriptionItemListParams>()({ ...page, subscription: text() }),
    (unit, given, { url }) =>
      listPage(existingSubscription(unit, given.subscription).items.data, given, url, 'subscription_item'),
  ),
  endpoint('POST', '/v1/subscriptions/:id/resume', resumeParameters, (unit, _, { id }) => resume(unit, id)),
];

function listSubscriptions(unit: UnitOfWork, given: z.output<typeof listParameters>, { url }: { url: string }) {
  const { customer, price, status, test_clock: clock } = given;
  const table = unit.tables.subscription;
  const isInTime = createdWithin(given.created);
  const isListed = (row: Subscription) =>
    isWanted(row, status) &&
    isOnClock(row, clock, customer !== undefined) &&
    (price === undefined || row.items.data.some(item => item.price.id === price)) &&
    isInTime(row);
  const source = customer === undefined ? table : table.withField('customer', customer);
  return listPage(source, given, url, 'subscription', isListed);
}

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

function cancel(unit: UnitOfWork, id: string, given: z.output<typeof cancelParameters>): Subscription {
  const subscription = existingSubscription(unit, id);
  // As with Stripe, canceling a canceled subscription returns 404.
  if (hasEnded(subscription)) throw noSuch('subscription', id);
  const cancellation_details = detailsOf(subscription, given);
  const changes = { cancel_at_period_end: false, cancel_at: null, canceled_at: unit.now, cancellation_details };
  return endSubscription(unit, { ...subscription, ...changes }, 'cancellation_requested');
}

function resume(unit: UnitOfWork, id: string): Subscription {
  const subscription = existingSubscription(unit, id);
  if (subscription.status !== 'paused')
    throw invalidRequest(
      `You can only resume subscriptions with a status of 'paused', but this one is ${subscription.status}.`,
    );
  return resumeSubscription(unit, subscription);
}

function existingSubscription(unit: UnitOfWork, id: string): Subscription {
  const subscription = unit.tables.subscription.get(id);
  if (!subscription) throw noSuch('subscription', id);
  return inItsTime(unit, subscription);
}
