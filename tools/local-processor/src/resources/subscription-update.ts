import type { Stripe } from 'stripe';
import { z } from 'zod';
import { invalidRequest, noSuch } from '../api/errors.ts';
import { mergeMetadata } from '../api/metadata.ts';
import { boolean, choice, empty, expand, metadata, parameters, timestamp, unsettableText } from '../api/parameters.ts';
import type { UnitOfWork } from '../api/unit-of-work.ts';
import { applyChange } from '../billing/apply-change.ts';
import { discountsFor } from '../billing/discounts.ts';
import { type ChangePlan, type ChangeTerms, planChange } from '../billing/plan-change.ts';
import { requireTaxLocation } from '../billing/tax.ts';
import { mirrorInPhase } from '../billing/subscription-schedules.ts';
import { periodStart } from '../domain/periods.ts';
import { existing } from '../objects/finding.ts';
import { currentPeriod, hasEnded, itemsIn, subscriptionTaxOf } from '../objects/subscription.ts';
import type { Subscription } from '../objects/stored.ts';
import { discountsParameter } from './coupons.ts';
import { changedItems, itemsParameter } from './subscription-items.ts';

/** `cancellation_details`: why a subscription is canceled; an empty value clears a field. */
export const cancellationDetails = z.strictObject({
  comment: unsettableText().optional(),
  feedback: z
    .union([
      empty,
      choice(
        'customer_service',
        'low_quality',
        'missing_features',
        'other',
        'switched_service',
        'too_complex',
        'too_expensive',
        'unused',
      ),
    ])
    .optional(),
});

export const updateParameters = parameters<Stripe.SubscriptionUpdateParams>()({
  automatic_tax: z.strictObject({ enabled: boolean }).optional(),
  billing_cycle_anchor: z.strictObject({ type: choice('now', 'unchanged') }).optional(),
  cancel_at: z.union([empty, choice('max_period_end', 'min_period_end'), timestamp]).optional(),
  cancel_at_period_end: boolean.optional(),
  cancellation_details: cancellationDetails.optional(),
  default_payment_method: unsettableText().optional(),
  description: unsettableText(500).optional(),
  discounts: discountsParameter.optional(),
  expand,
  items: itemsParameter.optional(),
  metadata: metadata.optional(),
  off_session: boolean.optional(),
  pause_collection: z
    .union([
      empty,
      z.strictObject({
        behavior: choice('keep_as_draft', 'mark_uncollectible', 'void'),
        resumes_at: timestamp.optional(),
      }),
    ])
    .optional(),
  payment_behavior: choice(
    'allow_incomplete',
    'default_incomplete',
    'error_if_incomplete',
    'pending_if_incomplete',
  ).optional(),
  proration_behavior: choice('always_invoice', 'create_prorations', 'none').optional(),
  proration_date: timestamp.optional(),
  trial_end: z.union([z.literal('now'), timestamp]).optional(),
});

type Given = z.output<typeof updateParameters>;

/**
 * Changes a subscription and emits its events. New prices and quantities apply at once and are prorated.
 * (Stripe: https://docs.stripe.com/api/subscriptions/update)
 * @throws ApiError 400 when the subscription has ended and more than its metadata changes
 */
export function updateSubscription(unit: UnitOfWork, subscription: Subscription, given: Given): Subscription {
  const { payment_behavior: behavior } = given;
  if (behavior === 'pending_if_incomplete') rejectUnsupported(subscription, given);
  const after = applyChange(unit, subscription, plannedUpdate(unit, subscription, given), behavior);
  return given.items || given.discounts !== undefined ? mirrorInPhase(unit, after) : after;
}

/** What a change may contain that waits for its payment. https://docs.stripe.com/billing/subscriptions/pending-updates-reference */
const PENDING_PARAMETERS = new Set([
  'billing_cycle_anchor',
  'cancel_at_period_end',
  'discounts',
  'expand',
  'items',
  'metadata',
  'off_session',
  'payment_behavior',
  'proration_behavior',
  'proration_date',
  'trial_end',
]);

/** @throws ApiError 400 when a change cannot wait for its payment */
function rejectUnsupported({ collection_method: method }: Subscription, given: Given): void {
  const param = 'payment_behavior';
  if (method === 'send_invoice')
    throw invalidRequest(
      '`payment_behavior=pending_if_incomplete` needs `collection_method=charge_automatically`.',
      param,
    );
  const others = Object.entries(given).flatMap(([name, value]) =>
    value === undefined || PENDING_PARAMETERS.has(name) ? [] : [name],
  );
  if (others.length > 0)
    throw invalidRequest(
      `When \`payment_behavior\` is \`pending_if_incomplete\`, you can only pass supported parameters. Unsupported: ${others.join(', ')}.`,
      param,
    );
}

/** Plans what an update does; a preview shows the same. @throws ApiError 400 as the update does */
export function plannedUpdate(unit: UnitOfWork, subscription: Subscription, given: Given): ChangePlan {
  const { expand: _expand, metadata: _metadata, cancellation_details: _details, ...others } = given;
  if (hasEnded(subscription) && Object.values(others).some(value => value !== undefined))
    throw invalidRequest('A canceled subscription can only update its cancellation_details and metadata.');
  if (
    subscription.status === 'incomplete' &&
    (given.items || given.billing_cycle_anchor || given.trial_end !== undefined)
  )
    throw invalidRequest(
      'This subscription is incomplete: its first invoice has to be paid before what it bills can change.',
    );
  const changed = given.items && changedItems(unit, subscription, given.items);
  const wanted: Subscription = {
    ...subscription,
    metadata: mergeMetadata(subscription.metadata, given.metadata),
    ...cancellationOf(unit, subscription, given),
    ...cardOf(unit, subscription, given),
    ...(changed && { items: changed.items }),
    ...(given.description === undefined ? {} : { description: given.description }),
    ...pauseOf(unit, given),
    ...taxOf(unit, subscription, given),
  };
  const named = given.discounts === undefined ? null : discountsFor(unit, wanted, given.discounts ?? []);
  const after = { ...wanted, ...trialOf(unit, wanted, given), ...(named && { discounts: named.ids }) };
  const fresh = [...(changed?.fresh ?? []), ...(named?.fresh ?? [])];
  return planChange(unit, subscription, after, termsOf(given), fresh);
}

function termsOf(given: Given): ChangeTerms {
  if (given.proration_date !== undefined && given.billing_cycle_anchor?.type === 'now')
    throw invalidRequest('You cannot specify `proration_date` when `billing_cycle_anchor` is `now`.', 'proration_date');
  return {
    prorationBehavior: given.proration_behavior ?? 'create_prorations',
    prorationDate: given.proration_date ?? null,
    resetsAnchor: given.billing_cycle_anchor?.type === 'now',
    endsTrial: given.trial_end === 'now',
  };
}

/** Returns the changes for `cancel_at` or `cancel_at_period_end`, which exclude each other. The latter also sets `cancel_at`. */
function cancellationOf(unit: UnitOfWork, subscription: Subscription, given: Given): Partial<Subscription> {
  const { cancel_at: cancelAt, cancel_at_period_end: atPeriodEnd } = given;
  if (cancelAt !== undefined && atPeriodEnd !== undefined)
    throw invalidRequest('You may only specify one of these parameters: cancel_at, cancel_at_period_end.', 'cancel_at');
  if (subscription.schedule !== null && (cancelAt !== undefined || atPeriodEnd !== undefined))
    throw invalidRequest(
      `The subscription is managed by the subscription schedule \`${subscription.schedule}\`, and updating any cancelation behavior directly is not allowed. Please update the schedule instead.`,
    );
  const { end } = currentPeriod(subscription);
  const details = detailsOf(subscription, given);
  const requested = {
    canceled_at: unit.now,
    cancellation_details: { ...details, reason: 'cancellation_requested' as const },
  };
  const revoked = { canceled_at: null, cancellation_details: { ...details, reason: null } };
  const unchanged = { cancellation_details: details };
  if (atPeriodEnd === true)
    return subscription.cancel_at_period_end ? unchanged : { cancel_at_period_end: true, cancel_at: end, ...requested };
  if (atPeriodEnd === false)
    return subscription.cancel_at_period_end ? { cancel_at_period_end: false, cancel_at: null, ...revoked } : unchanged;
  if (cancelAt === undefined) return unchanged;
  if (cancelAt === null) return { cancel_at_period_end: false, cancel_at: null, ...revoked };
  const time = typeof cancelAt === 'string' ? end : cancelAt;
  if (time <= unit.now) throw invalidRequest('The `cancel_at` timestamp must be in the future.', 'cancel_at');
  return { cancel_at_period_end: false, cancel_at: time, ...requested };
}

/** Returns the details of the cancellation with those of a request. */
export function detailsOf(
  { cancellation_details: before }: Subscription,
  { cancellation_details: given }: Pick<Given, 'cancellation_details'>,
) {
  const { feedback_option = null, reason = null } = before ?? {};
  const { comment = before?.comment ?? null, feedback = before?.feedback ?? null } = given ?? {};
  return { comment, feedback, feedback_option, reason };
}

function cardOf(unit: UnitOfWork, subscription: Subscription, given: Given): Partial<Subscription> {
  const id = given.default_payment_method;
  if (id === undefined) return {};
  if (id !== null && unit.tables.payment_method.get(id)?.customer !== subscription.customer)
    throw noSuch('PaymentMethod', id, 'default_payment_method');
  return { default_payment_method: id };
}

function pauseOf(unit: UnitOfWork, { pause_collection: pause }: Given): Partial<Subscription> {
  if (!pause) return pause === null ? { pause_collection: null } : {};
  const { behavior, resumes_at: resumesAt = null } = pause;
  if (resumesAt !== null && resumesAt <= unit.now)
    throw invalidRequest('`pause_collection[resumes_at]` must be in the future.', 'pause_collection[resumes_at]');
  return { pause_collection: { behavior, resumes_at: resumesAt } };
}

function taxOf(unit: UnitOfWork, { customer }: Subscription, { automatic_tax: tax }: Given): Partial<Subscription> {
  if (!tax) return {};
  if (tax.enabled) requireTaxLocation(unit, existing(unit, 'customer', customer));
  return { automatic_tax: subscriptionTaxOf(tax.enabled) };
}

function trialOf(unit: UnitOfWork, subscription: Subscription, given: Given): Partial<Subscription> {
  const end = given.trial_end;
  if (typeof end !== 'number') return {};
  if (end <= unit.now) throw invalidRequest('The `trial_end` timestamp must be in the future.', 'trial_end');
  const latest = periodStart(subscription.billing_cycle_anchor, { interval: 'year', count: 1 }, 2);
  if (end > latest)
    throw invalidRequest('The `trial_end` can be at most two years from the `billing_cycle_anchor`.', 'trial_end');
  return {
    status: 'trialing',
    trial_start: subscription.trial_start ?? unit.now,
    trial_end: end,
    billing_cycle_anchor: end,
    items: itemsIn(subscription, { start: unit.now, end }),
  };
}
