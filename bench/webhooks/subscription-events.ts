import { createHmac } from 'node:crypto';

/** What the subscriptions of a run have in common; both sides get the same events. */
export interface Shop {
  readonly teamId: string;
  readonly projectId: string;
  readonly priceId: string;
  readonly processorPriceId: string;
  readonly processorProductId: string;
  readonly customers: readonly { readonly id: string; readonly processorCustomerId: string }[];
  readonly subscriptions: number;
  /** When the subscriptions began, in seconds since 1970. */
  readonly begunAt: number;
}

const MONTH_SECONDS = 30 * 86_400;
const API_VERSION = '2026-10-28.endive';

/** The processor's id of one of the subscriptions. */
export const subscriptionId = (index: number): string => `sub_bench${String(index).padStart(16, '0')}`;

/** The processor's id of the `number`-th event of all; they sort by their number. */
export const eventId = (number: number): string => `evt_bench${String(number).padStart(16, '0')}`;

/** How many seats the `sequence`-th event of a subscription says it has: another number each time. */
export const quantityAt = (sequence: number): number => 1 + (sequence % 100_000);

/** Which event of which subscription is the `number`-th of all: the subscriptions take turns. */
export function placeOf({ subscriptions }: Shop, number: number) {
  return { index: number % subscriptions, sequence: Math.floor(number / subscriptions) };
}

/**
 * The body of the `number`-th event of all, counted over every round: the first one of a subscription tells its birth,
 * each later one is a second younger and has a new period and another quantity.
 */
export function eventBody(shop: Shop, number: number): string {
  const { index, sequence } = placeOf(shop, number);
  const created = shop.begunAt + sequence;
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

/** The header by which Stripe signs. https://docs.stripe.com/webhooks#verify-manually */
export function signatureOf(body: string, secret: string, at: Date): string {
  const timestamp = Math.floor(at.getTime() / 1_000);
  const digest = createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex');
  return `t=${timestamp},v1=${digest}`;
}

/** A subscription with all the fields that Stripe gives one. */
function subscriptionObject(shop: Shop, index: number, sequence: number) {
  const id = subscriptionId(index);
  const { begunAt, teamId, projectId, priceId } = shop;
  const customer = shop.customers[index % shop.customers.length];
  if (!customer) throw new Error('A shop without customers has no subscriptions.');
  const quantity = quantityAt(sequence);
  return {
    id,
    object: 'subscription',
    application: null,
    application_fee_percent: null,
    automatic_tax: { disabled_reason: null, enabled: false, liability: null },
    billing_cycle_anchor: begunAt,
    billing_cycle_anchor_config: null,
    billing_mode: { type: 'classic' },
    billing_thresholds: null,
    cancel_at: null,
    cancel_at_period_end: false,
    canceled_at: null,
    cancellation_details: { comment: null, feedback: null, reason: null },
    collection_method: 'charge_automatically',
    created: begunAt,
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
    start_date: begunAt,
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
  const { begunAt, processorPriceId: price, processorProductId: product } = shop;
  const shared = { active: true, created: begunAt, currency: 'usd', livemode: false, metadata: {}, product };
  return {
    id: `si_bench${index}`,
    object: 'subscription_item',
    billing_thresholds: null,
    created: begunAt,
    current_period_end: begunAt + MONTH_SECONDS + sequence,
    current_period_start: begunAt + sequence,
    discounts: [],
    metadata: {},
    plan: {
      ...shared,
      id: price,
      object: 'plan',
      amount: 2_999,
      amount_decimal: '2999',
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
      unit_amount: 2_999,
      unit_amount_decimal: '2999',
    },
    quantity,
    subscription,
    tax_rates: [],
  };
}
