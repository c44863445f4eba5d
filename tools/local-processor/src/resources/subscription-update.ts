import type { Stripe } from 'stripe';
import { z } from 'zod';
import { invalidRequest, noSuch } from '../api/errors.ts';
import { mergeMetadata } from '../api/metadata.ts';
import {
  boolean,
  choice,
  empty,
  expand,
  integer,
  metadata,
  parameters,
  text,
  timestamp,
  unsettableText,
} from '../api/parameters.ts';
import type { UnitOfWork } from '../api/unit-of-work.ts';
import { renewSubscription } from '../billing/subscriptions.ts';
import { cadenceOf, isMetered, planOf } from '../objects/price.ts';
import { currentPeriod, hasEnded, itemsIn, newItem, subscriptionCadence } from '../objects/subscription.ts';
import type { Subscription, SubscriptionItem } from '../objects/stored.ts';
import { quantityOf, recurringPrice } from './prices.ts';

export const updateParameters = parameters<Stripe.SubscriptionUpdateParams>()({
  cancel_at: z.union([empty, choice('max_period_end', 'min_period_end'), timestamp]).optional(),
  cancel_at_period_end: boolean.optional(),
  default_payment_method: unsettableText().optional(),
  description: unsettableText(500).optional(),
  expand,
  items: z
    .array(
      z.strictObject({
        deleted: boolean.optional(),
        id: text().optional(),
        price: text().optional(),
        quantity: integer(0, 999_999_999).optional(),
      }),
    )
    .max(20)
    .optional(),
  metadata: metadata.optional(),
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
  trial_end: z.union([z.literal('now'), timestamp]).optional(),
});

type Given = z.output<typeof updateParameters>;

/**
 * Changes a subscription and emits its event. New prices and quantities apply from the next period, because the local
 * processor has no prorations.
 * @throws ApiError 400 when the subscription has ended and more than its metadata changes
 */
export function updateSubscription(unit: UnitOfWork, subscription: Subscription, given: Given): Subscription {
  const { expand: _expand, metadata: _metadata, ...others } = given;
  if (hasEnded(subscription) && Object.values(others).some(value => value !== undefined))
    throw invalidRequest('A canceled subscription can only update its cancellation_details and metadata.');
  const changes: Partial<Subscription> = {
    metadata: mergeMetadata(subscription.metadata, given.metadata),
    ...cancellationOf(unit, subscription, given),
    ...cardOf(unit, subscription, given),
    ...itemsOf(unit, subscription, given),
    ...(given.description === undefined ? {} : { description: given.description }),
    ...pauseOf(unit, given),
    ...trialOf(unit, subscription, given),
  };
  const updated = unit.update('subscription', subscription, changes, 'customer.subscription.updated');
  return given.trial_end === 'now' && updated.status === 'trialing'
    ? renewSubscription(unit, updated, unit.now)
    : updated;
}

/** Returns the changes for `cancel_at` or `cancel_at_period_end`, which exclude each other. The latter also sets `cancel_at`. */
function cancellationOf(unit: UnitOfWork, subscription: Subscription, given: Given): Partial<Subscription> {
  const { cancel_at: cancelAt, cancel_at_period_end: atPeriodEnd } = given;
  if (cancelAt !== undefined && atPeriodEnd !== undefined)
    throw invalidRequest('You may only specify one of these parameters: cancel_at, cancel_at_period_end.', {
      param: 'cancel_at',
    });
  if (subscription.schedule !== null && (cancelAt !== undefined || atPeriodEnd !== undefined))
    throw invalidRequest(
      `The subscription is managed by the subscription schedule \`${subscription.schedule}\`, and updating any cancelation behavior directly is not allowed. Please update the schedule instead.`,
    );
  const { end } = currentPeriod(subscription);
  const requested = { canceled_at: unit.now, cancellation_details: detailsOf(subscription, 'cancellation_requested') };
  const revoked = { canceled_at: null, cancellation_details: detailsOf(subscription, null) };
  if (atPeriodEnd === true)
    return subscription.cancel_at_period_end ? {} : { cancel_at_period_end: true, cancel_at: end, ...requested };
  if (atPeriodEnd === false)
    return subscription.cancel_at_period_end ? { cancel_at_period_end: false, cancel_at: null, ...revoked } : {};
  if (cancelAt === undefined) return {};
  if (cancelAt === null) return { cancel_at_period_end: false, cancel_at: null, ...revoked };
  const time = typeof cancelAt === 'string' ? end : cancelAt;
  if (time <= unit.now)
    throw invalidRequest('The `cancel_at` timestamp must be in the future.', { param: 'cancel_at' });
  return { cancel_at_period_end: false, cancel_at: time, ...requested };
}

function detailsOf(subscription: Subscription, reason: 'cancellation_requested' | null) {
  const { comment = null, feedback = null, feedback_option = null } = subscription.cancellation_details ?? {};
  return { comment, feedback, feedback_option, reason };
}

function cardOf(unit: UnitOfWork, subscription: Subscription, given: Given): Partial<Subscription> {
  const id = given.default_payment_method;
  if (id === undefined) return {};
  if (id !== null && unit.tables.payment_method.get(id)?.customer !== subscription.customer)
    throw noSuch('PaymentMethod', id, 'default_payment_method');
  return { default_payment_method: id };
}

function itemsOf(unit: UnitOfWork, subscription: Subscription, given: Given): Partial<Subscription> {
  if (given.items === undefined) return {};
  let data = subscription.items.data;
  for (const [index, change] of given.items.entries()) data = changeItems(unit, subscription, data, change, index);
  if (data.length === 0)
    throw invalidRequest('A subscription must have at least one item. Cancel it instead.', { param: 'items' });
  const changed = { ...subscription, items: { ...subscription.items, data } };
  const [before, after] = [subscriptionCadence(subscription), subscriptionCadence(changed)];
  const sameCadence = before.interval === after.interval && before.count === after.count;
  // A new cadence starts at the end of the paid period.
  return sameCadence
    ? { items: changed.items }
    : { items: changed.items, billing_cycle_anchor: currentPeriod(subscription).end };
}

function changeItems(
  unit: UnitOfWork,
  subscription: Subscription,
  items: SubscriptionItem[],
  change: NonNullable<Given['items']>[number],
  index: number,
): SubscriptionItem[] {
  const param = `items[${index}][price]`;
  const quantityParam = `items[${index}][quantity]`;
  const price = change.price === undefined ? null : recurringPrice(unit, change.price, param, subscription.currency);
  if (change.id === undefined) {
    if (!price) throw invalidRequest(`You must pass \`${param}\` for a new item.`, { param });
    const quantity = quantityOf(price, change.quantity, quantityParam);
    return [...items, newItem(unit, subscription.id, { price, quantity }, currentPeriod(subscription))];
  }
  const existing = items.find(({ id }) => id === change.id);
  if (!existing) throw noSuch('subscription_item', change.id, `items[${index}][id]`);
  if (change.deleted) return items.filter(item => item !== existing);
  const { quantity: before, ...rest } = existing;
  const billed = price ?? existing.price;
  const given = change.quantity ?? (isMetered(billed) ? undefined : before);
  const quantity = quantityOf(billed, given, quantityParam);
  const cadence = price && cadenceOf(price);
  const changed = {
    ...rest,
    ...(quantity === null ? {} : { quantity }),
    ...(price && cadence ? { price, plan: planOf(price, cadence) } : {}),
  };
  return items.map(item => (item === existing ? changed : item));
}

function pauseOf(unit: UnitOfWork, { pause_collection: pause }: Given): Partial<Subscription> {
  if (!pause) return pause === null ? { pause_collection: null } : {};
  const { behavior, resumes_at: resumesAt = null } = pause;
  if (resumesAt !== null && resumesAt <= unit.now)
    throw invalidRequest('`pause_collection[resumes_at]` must be in the future.', {
      param: 'pause_collection[resumes_at]',
    });
  return { pause_collection: { behavior, resumes_at: resumesAt } };
}

function trialOf(unit: UnitOfWork, subscription: Subscription, given: Given): Partial<Subscription> {
  const end = given.trial_end;
  if (typeof end !== 'number') return {};
  if (end <= unit.now) throw invalidRequest('The `trial_end` timestamp must be in the future.', { param: 'trial_end' });
  return {
    status: 'trialing',
    trial_start: subscription.trial_start ?? unit.now,
    trial_end: end,
    billing_cycle_anchor: end,
    items: itemsIn(subscription, { start: unit.now, end }),
  };
}
