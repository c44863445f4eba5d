import { UNIT_AMOUNT, type Shop } from './shop.ts';

const MONTH_SECONDS = 30 * 86_400;
const API_VERSION = '2026-10-28.endive';

/** Returns the Stripe id of a subscription. */
const subscriptionId = (index: number): string => `sub_bench${String(index).padStart(16, '0')}`;

/** Returns the Stripe id of the `number`-th event; ids sort by number. */
export const eventId = (number: number): string => `evt_bench${String(number).padStart(16, '0')}`;

/** Returns the quantity in the `sequence`-th event of a subscription; it changes with every event. */
const quantityAt = (sequence: number): number => 1 + (sequence % 100_000);

/** Returns which event of which subscription the `number`-th event is; the subscriptions take turns. */
function placeOf({ subscriptions }: Shop, number: number) {
  return { index: number % subscriptions, sequence: Math.floor(number / subscriptions) };
}

/**
 * Returns the body of the `number`-th event, counted over all rounds. The first event of a subscription creates it. Each
 * later one is created a second after the one before, with a new period and quantity.
 */
export function eventBody(shop: Shop, number: number): string {
  const { index, sequence } = placeOf(shop, number);
  const created = shop.startedAt + sequence;
  return JSON.stringify({
    id: eventId(number),
    object: 'event',
    api_version: API_VERSION,
    created,
    data: {
      object: subscriptionObject(shop, index, sequence),
      ...(sequence > 0 && { previous_attributes: { quantity: quantityAt(sequence - 1) } }),
    },
    livemode: false,
    pending_webhooks: 1,
    request: { id: null, idempotency_key: null },
    type: sequence === 0 ? 'customer.subscription.created' : 'customer.subscription.updated',
  });
}

/** Returns the quantity in the last event of each subscription among the first `sent` events, by Stripe id. */
export function newestQuantities(shop: Shop, sent: number): ReadonlyMap<string, number> {
  const newest = new Map<string, number>();
  for (let number = 0; number < sent; number += 1) {
    const { index, sequence } = placeOf(shop, number);
    newest.set(subscriptionId(index), quantityAt(sequence));
  }
  return newest;
}

/**
 * Compares quantities with the last event of each subscription among the first `sent` events.
 * @throws Error with the number of subscriptions that differ
 */
export function requireNewestQuantities(
  shop: Shop,
  sent: number,
  quantityOf: (id: string) => number | undefined,
): void {
  const newest = newestQuantities(shop, sent);
  const wrong = [...newest].filter(([id, quantity]) => quantityOf(id) !== quantity);
  if (wrong.length > 0) throw new Error(`${wrong.length} of ${newest.size} subscriptions lack their last event.`);
}

/** Renders a subscription with every field that Stripe sends. Each was created a second before the one before it. */
function subscriptionObject(shop: Shop, index: number, sequence: number) {
  const id = subscriptionId(index);
  const { startedAt, teamId, projectId, priceId } = shop;
  const customer = shop.customers[index % shop.customers.length];
  if (!customer) throw new Error('The shop has no customers.');
  const quantity = quantityAt(sequence);
  const created = startedAt - index;
  return {
    id,
    object: 'subscription',
    application: null,
    application_fee_percent: null,
    automatic_tax: { disabled_reason: null, enabled: false, liability: null },
    billing_cycle_anchor: created,
    billing_cycle_anchor_config: null,
    billing_mode: { type: 'classic' },
    billing_thresholds: null,
    cancel_at: null,
    cancel_at_period_end: false,
    canceled_at: null,
    cancellation_details: { comment: null, feedback: null, reason: null },
    collection_method: 'charge_automatically',
    created,
    currency: 'usd',
    customer: customer.processorCustomerId,
    days_until_due: null,
    default_payment_method: `pm_bench${index}`,
    default_source: null,
    default_tax_rates: [],
    description: null,
    discounts: [],
    ended_at: null,
    invoice_settings: { account_tax_ids: null, issuer: { type: 'self' } },
    items: {
      object: 'list',
      data: [itemObject(shop, id, { index, sequence, quantity })],
      has_more: false,
      total_count: 1,
      url: `/v1/subscription_items?subscription=${id}`,
    },
    latest_invoice: `in_bench${index}x${sequence}`,
    livemode: false,
    metadata: { teamId, projectId, customerId: customer.id, priceId },
    next_pending_invoice_item_invoice: null,
    on_behalf_of: null,
    pause_collection: null,
    payment_settings: { payment_method_options: null, payment_method_types: null, save_default_payment_method: 'off' },
    pending_invoice_item_interval: null,
    pending_setup_intent: null,
    pending_update: null,
    quantity,
    schedule: null,
    start_date: created,
    status: 'active',
    test_clock: null,
    transfer_data: null,
    trial_end: null,
    trial_settings: { end_behavior: { missing_payment_method: 'create_invoice' } },
    trial_start: null,
  };
}

function itemObject(
  shop: Shop,
  subscription: string,
  { index, sequence, quantity }: { index: number; sequence: number; quantity: number },
) {
  const { startedAt, processorPriceId: price, processorProductId: product } = shop;
  const shared = { active: true, created: startedAt, currency: 'usd', livemode: false, metadata: {}, product };
  return {
    id: `si_bench${index}`,
    object: 'subscription_item',
    billing_thresholds: null,
    created: startedAt,
    current_period_end: startedAt + MONTH_SECONDS + sequence,
    current_period_start: startedAt + sequence,
    discounts: [],
    metadata: {},
    plan: {
      ...shared,
      id: price,
      object: 'plan',
      amount: UNIT_AMOUNT,
      amount_decimal: String(UNIT_AMOUNT),
      billing_scheme: 'per_unit',
      interval: 'month',
      interval_count: 1,
      meter: null,
      nickname: null,
      tiers_mode: null,
      transform_usage: null,
      trial_period_days: null,
      usage_type: 'licensed',
    },
    price: {
      ...shared,
      id: price,
      object: 'price',
      billing_scheme: 'per_unit',
      custom_unit_amount: null,
      lookup_key: null,
      nickname: null,
      recurring: { interval: 'month', interval_count: 1, meter: null, trial_period_days: null, usage_type: 'licensed' },
      tax_behavior: 'unspecified',
      tiers_mode: null,
      transform_quantity: null,
      type: 'recurring',
      unit_amount: UNIT_AMOUNT,
      unit_amount_decimal: String(UNIT_AMOUNT),
    },
    quantity,
    subscription,
    tax_rates: [],
  };
}
