import type { Stripe } from 'stripe';
import { z } from 'zod';
import { invalidRequest } from '../api/errors.ts';
import { mergeMetadata } from '../api/metadata.ts';
import { boolean, choice, expand, integer, metadata, parameters, text, timestamp, url } from '../api/parameters.ts';
import type { UnitOfWork } from '../api/unit-of-work.ts';
import { billedItems, discountsOfSale, shownDiscounts } from '../billing/checkout-discounts.ts';
import { createSetupIntent } from '../billing/setup-intents.ts';
import { newCheckoutSession, newLineItem } from '../objects/checkout-session.ts';
import { existing } from '../objects/finding.ts';
import { isMetered } from '../objects/price.ts';
import type { CheckoutSession, LineItem, Price, WantedDiscount } from '../objects/stored.ts';
import { optionParameters, optionsOf } from './checkout-session-options.ts';
import { currency } from './price-amounts.ts';
import { quantityOf, rejectSecondCurrency, requireCurrency } from './prices.ts';
import { trialSettings } from './subscription-create.ts';

const MIN_LIFETIME_SECONDS = 30 * 60;
const MAX_LIFETIME_SECONDS = 24 * 3600;

export const createParameters = parameters<Stripe.Checkout.SessionCreateParams>()({
  ...optionParameters,
  cancel_url: url.optional(),
  client_reference_id: text(200).optional(),
  currency: currency.optional(),
  customer: text().optional(),
  customer_email: text(800).optional(),
  discounts: z
    .array(z.strictObject({ coupon: text().optional(), promotion_code: text().optional() }))
    .max(1)
    .optional(),
  expand,
  expires_at: timestamp.optional(),
  invoice_creation: z
    .strictObject({ enabled: boolean, invoice_data: z.strictObject({ metadata: metadata.optional() }).optional() })
    .optional(),
  line_items: z
    .array(z.strictObject({ price: text(), quantity: integer(1, 999_999_999).optional() }))
    .max(100)
    .optional(),
  metadata: metadata.optional(),
  mode: choice('payment', 'setup', 'subscription'),
  payment_method_collection: choice('always', 'if_required').optional(),
  payment_intent_data: z.strictObject({ description: text(1000).optional(), metadata: metadata.optional() }).optional(),
  return_url: url.optional(),
  setup_intent_data: z.strictObject({ description: text(1000).optional(), metadata: metadata.optional() }).optional(),
  subscription_data: z
    .strictObject({
      description: text(500).optional(),
      metadata: metadata.optional(),
      trial_period_days: integer().optional(),
      trial_settings: trialSettings,
    })
    .optional(),
  success_url: url.optional(),
  ui_mode: choice('embedded_page', 'hosted_page').optional(),
});
type Given = z.output<typeof createParameters>;

/**
 * Creates an open checkout session and stores what it creates when it is paid.
 * @throws ApiError 400 when parameters do not fit the mode, the prices or the customer
 */
export function createSession(unit: UnitOfWork, given: Given): CheckoutSession {
  rejectOtherModes(given);
  const page = pageOf(given);
  const customer = given.customer === undefined ? null : existing(unit, 'customer', given.customer, 'customer');
  if (customer && given.customer_email !== undefined)
    throw invalidRequest('You may only specify one of these parameters: customer, customer_email.', 'customer_email');
  const options = optionsOf(unit, given, customer);
  const sold = linesOf(unit, given);
  const sessionCurrency = sold[0]?.currency ?? setupCurrency(given);
  if (given.mode === 'subscription' && customer) rejectSecondCurrency(unit, customer, sessionCurrency);
  const wanted = wantedOf(given);
  const isTaxed = options.automatic_tax.enabled;
  const sale = { customer: customer?.id ?? null, currency: sessionCurrency, lines: sold, isTaxed };
  const discounts = discountsOfSale(unit, sale, wanted);
  const lines = billedItems(unit, sale, discounts);
  const trialDays = trialOf(given);
  const invoice = {
    enabled: given.invoice_creation?.enabled ?? false,
    metadata: partOf(given.invoice_creation?.invoice_data).metadata,
  };
  const session = newCheckoutSession(unit, {
    ...options,
    ...page,
    client_reference_id: given.client_reference_id ?? null,
    currency: sessionCurrency,
    customer,
    customer_email: given.customer_email ?? null,
    discounts: shownDiscounts(discounts),
    expires_at: expiryOf(unit, given),
    invoice,
    lines,
    metadata: mergeMetadata({}, given.metadata),
    mode: given.mode,
    setup_intent:
      given.mode === 'setup' ? createSetupIntent(unit, customer?.id ?? null, partOf(given.setup_intent_data)).id : null,
    payment_method_collection: given.payment_method_collection,
    trial: trialDays !== null,
  });
  unit.tables.checkout_plan.put({
    id: session.id,
    lines,
    discounts: wanted,
    subscription: {
      ...partOf(given.subscription_data),
      trialDays,
      trialEndsWithoutMethod: given.subscription_data?.trial_settings?.end_behavior.missing_payment_method,
    },
    payment: partOf(given.payment_intent_data),
    invoiceCreation: invoice,
    updates: { address: given.customer_update?.address === 'auto', name: given.customer_update?.name === 'auto' },
    paymentIntent: null,
    setupIntent: null,
    lastDecline: null,
  });
  return unit.create('checkout.session', session);
}

/** Returns the discounts that a session names. @throws ApiError 400 when its page takes codes, or it sells nothing */
function wantedOf({ mode, discounts = [], allow_promotion_codes: takesCodes }: Given): WantedDiscount[] {
  const param = 'discounts';
  if (mode === 'setup' && discounts.length > 0)
    throw invalidRequest('You can not pass `discounts` in `setup` mode.', param);
  if (discounts.length > 0 && takesCodes !== undefined)
    throw invalidRequest(
      'You may only specify one of these parameters: allow_promotion_codes, discounts.',
      'allow_promotion_codes',
    );
  return discounts;
}

/** Rejects parameters that belong to another mode than the session's. */
function rejectOtherModes(given: Given): void {
  const parts = [
    ['subscription_data', 'subscription'],
    ['payment_method_collection', 'subscription'],
    ['payment_intent_data', 'payment'],
    ['invoice_creation', 'payment'],
    ['setup_intent_data', 'setup'],
  ] as const;
  for (const [param, mode] of parts)
    if (given[param] !== undefined && given.mode !== mode)
      throw invalidRequest(`You can not pass \`${param}\` in \`${given.mode}\` mode.`, param);
  if (given.mode === 'setup' && given.line_items !== undefined)
    throw invalidRequest('You can not pass `line_items` in `setup` mode.', 'line_items');
}

/** Returns the kind of page, and where it leads. @throws ApiError 400 when a URL is missing, or belongs to another kind */
function pageOf(given: Given) {
  const { ui_mode: mode = 'hosted_page', cancel_url = null, success_url = null, return_url } = given;
  const isEmbedded = mode === 'embedded_page';
  const needed = isEmbedded ? 'return_url' : 'success_url';
  const foreign = (isEmbedded ? (['cancel_url', 'success_url'] as const) : (['return_url'] as const)).filter(
    name => given[name] !== undefined,
  );
  if (foreign.length > 0)
    throw invalidRequest(
      `The following parameters are not supported with \`ui_mode: ${mode}\`: ${foreign.join(', ')}.`,
      foreign[0],
    );
  if (given[needed] === undefined)
    throw invalidRequest(`Missing required param: ${needed}.`, needed, 'parameter_missing');
  return { ui_mode: mode, cancel_url, success_url, ...(return_url !== undefined && { return_url }) };
}

function linesOf(unit: UnitOfWork, given: Given): LineItem[] {
  const { mode, line_items: wanted = [] } = given;
  if (mode === 'setup') return [];
  if (wanted.length === 0)
    throw invalidRequest('Missing required param: line_items.', 'line_items', 'parameter_missing');
  let sessionCurrency = given.currency;
  const lines = wanted.map(({ price: priceId, quantity }, index) => {
    const param = `line_items[${index}][price]`;
    const price = existing(unit, 'price', priceId, param);
    const product = existing(unit, 'product', price.product, param);
    if (!price.active || !product.active)
      throw invalidRequest('The price specified is inactive. This field only accepts active prices.', param);
    sessionCurrency ??= price.currency;
    requireCurrency(unit, price, sessionCurrency, param);
    const billed = lineQuantity(price, quantity, index);
    return newLineItem(unit, { price, quantity: billed, currency: sessionCurrency, description: product.name });
  });
  rejectMixedPrices(mode, lines);
  return lines;
}

function lineQuantity(price: Price, quantity: number | undefined, index: number): number | null {
  const param = `line_items[${index}][quantity]`;
  if (quantity === undefined && !isMetered(price))
    throw invalidRequest(
      `Quantity is required. Add \`quantity\` to \`line_items[${index}]\`.`,
      param,
      'parameter_missing',
    );
  return quantityOf(price, quantity, param);
}

function rejectMixedPrices(mode: 'payment' | 'subscription', lines: readonly LineItem[]): void {
  const recurring = lines.filter(({ price }) => price.type === 'recurring');
  if (mode === 'subscription' && recurring.length === 0)
    throw invalidRequest(
      'You must provide at least one recurring price in `subscription` mode when using prices.',
      'line_items',
    );
  if (mode === 'payment' && recurring.length > 0)
    throw invalidRequest(
      'You specified `payment` mode but passed a recurring price. Either switch to `subscription` mode or use only one-time prices.',
      'line_items',
    );
  const cadences = recurring.map(({ price }) => `${price.recurring?.interval} ${price.recurring?.interval_count}`);
  if (new Set(cadences).size > 1)
    throw invalidRequest('Checkout does not support multiple prices with different billing intervals.', 'line_items');
}

function setupCurrency(given: Given): string {
  if (given.currency === undefined)
    throw invalidRequest('Missing required param: currency.', 'currency', 'parameter_missing');
  return given.currency;
}

function trialOf(given: Given): number | null {
  const days = given.subscription_data?.trial_period_days;
  const param = 'subscription_data[trial_period_days]';
  if (days === undefined) return null;
  if (days < 1) throw invalidRequest('The minimum number of trial period days is 1.', param);
  if (days > 730) throw invalidRequest('The maximum number of trial period days is 730 (2 years).', param);
  return days;
}

/** A session expires after 24 hours by default. */
function expiryOf(unit: UnitOfWork, { expires_at: at = unit.now + MAX_LIFETIME_SECONDS }: Given): number {
  if (at < unit.now + MIN_LIFETIME_SECONDS - 60 || at > unit.now + MAX_LIFETIME_SECONDS + 60)
    throw invalidRequest('The `expires_at` timestamp must be between 30 minutes and 24 hours from now.', 'expires_at');
  return at;
}

interface Part {
  description?: string | null | undefined;
  metadata?: Record<string, string> | null | undefined;
}

/** Returns what the session's parameters say of an object that it creates. */
const partOf = ({ description = null, metadata: pairs }: Part = {}) => ({
  description,
  metadata: mergeMetadata({}, pairs),
});
