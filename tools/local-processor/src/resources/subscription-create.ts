import type { Stripe } from 'stripe';
import { z } from 'zod';
import { invalidRequest, noPaymentMethod, noSuch } from '../api/errors.ts';
import { mergeMetadata } from '../api/metadata.ts';
import { boolean, choice, expand, integer, metadata, parameters, text, timestamp } from '../api/parameters.ts';
import type { UnitOfWork } from '../api/unit-of-work.ts';
import { wantedDiscounts } from '../billing/discounts.ts';
import { firstInvoice } from '../billing/first-invoice.ts';
import { refuseUnpaid } from '../billing/payments.ts';
import { shown } from '../billing/preview.ts';
import { startSubscription } from '../billing/subscriptions.ts';
import { requireTaxLocation } from '../billing/tax.ts';
import { newId } from '../domain/ids.ts';
import { existing } from '../objects/finding.ts';
import { lineOfItem } from '../objects/invoice-item.ts';
import { subtotalOf } from '../objects/price.ts';
import type { Customer, Invoice, PaymentMethod, Subscription } from '../objects/stored.ts';
import { discountsParameter } from './coupons.ts';
import { billedOnce } from './one-time-items.ts';
import { currency } from './price-amounts.ts';
import { quantityOf, recurringPrice, rejectSecondCurrency } from './prices.ts';
import { newItemsParameter, rejectMixedCadences } from './subscription-items.ts';
import { updateSubscription } from './subscription-update.ts';

const DAY_SECONDS = 86_400;

/** The parameter that says what becomes of a trial that ends without a payment method. */
export const trialSettings = z
  .strictObject({
    end_behavior: z.strictObject({ missing_payment_method: choice('cancel', 'create_invoice', 'pause') }),
  })
  .optional();

export const createParameters = parameters<Stripe.SubscriptionCreateParams>()({
  add_invoice_items: z
    .array(z.strictObject({ price: text(), quantity: integer(0, 999_999_999).optional() }))
    .max(20)
    .optional(),
  automatic_tax: z.strictObject({ enabled: boolean }).optional(),
  cancel_at: timestamp.optional(),
  cancel_at_period_end: boolean.optional(),
  collection_method: choice('charge_automatically', 'send_invoice').optional(),
  currency: currency.optional(),
  customer: text(),
  days_until_due: integer(0).optional(),
  default_payment_method: text().optional(),
  description: text(500).optional(),
  discounts: discountsParameter.optional(),
  expand,
  items: newItemsParameter,
  metadata: metadata.optional(),
  off_session: boolean.optional(),
  payment_behavior: choice('allow_incomplete', 'default_incomplete', 'error_if_incomplete').optional(),
  proration_behavior: choice('always_invoice', 'create_prorations', 'none').optional(),
  trial_end: z.union([z.literal('now'), timestamp]).optional(),
  trial_period_days: integer(1, 730).optional(),
  trial_settings: trialSettings,
});
type Given = z.output<typeof createParameters>;

/**
 * Creates a subscription and bills its first period with the subscription's payment method, else the customer's default.
 * A payment that fails leaves it incomplete. (Stripe: https://docs.stripe.com/api/subscriptions/create)
 * @throws ApiError 400 when parameters do not fit each other, the prices or the customer; 402 when the card is declined
 * and `payment_behavior` is `error_if_incomplete`
 */
export function createSubscription(unit: UnitOfWork, given: Given): Subscription {
  const customer = existing(unit, 'customer', given.customer, 'customer');
  const { payment_behavior: behavior } = given;
  const added = { items: given.add_invoice_items ?? [], path: 'add_invoice_items' };
  const start = startOf(unit, customer, given, added);
  if (given.automatic_tax?.enabled) requireTaxLocation(unit, customer);
  const daysUntilDue = daysOf(given);
  const card = cardOf(unit, customer, given);
  const first = firstInvoice(unit, {
    ...start,
    description: given.description ?? null,
    metadata: mergeMetadata({}, given.metadata),
    trial_end: trialEndOf(unit, given),
    trialEndsWithoutMethod: given.trial_settings?.end_behavior.missing_payment_method,
    default_payment_method: given.default_payment_method ?? null,
    days_until_due: daysUntilDue,
  });
  const isCharged = daysUntilDue === null && shown(unit, first.bill).amount_due > 0;
  if (isCharged && behavior !== 'default_incomplete') requireCard(unit, given, card);
  const pays = daysUntilDue === null && behavior !== 'default_incomplete';
  const { subscription } = startSubscription(unit, first, { card: pays ? card : null });
  const { cancel_at, cancel_at_period_end } = given;
  if (cancel_at === undefined && cancel_at_period_end !== true) return subscription;
  return updateSubscription(unit, subscription, { cancel_at, cancel_at_period_end });
}

/** Previews the first invoice of a subscription that is created now. @throws ApiError 400 as its creation does */
export function previewSubscription(
  unit: UnitOfWork,
  customer: Customer,
  given: Sold & { trial_end?: Given['trial_end'] },
  items: Added['items'],
): Invoice {
  const terms = { description: null, metadata: {}, default_payment_method: null, days_until_due: null };
  const start = startOf(unit, customer, given, { items, path: 'invoice_items' }, 'subscription_details[items]');
  return shown(unit, firstInvoice(unit, { ...start, ...terms, trial_end: trialEndOf(unit, given) }).bill);
}

/** What a new subscription sells. */
type Sold = Pick<Given, 'automatic_tax' | 'currency' | 'discounts' | 'items'>;
/** What its first invoice bills once besides, and the parameter that contains it. */
interface Added {
  items: Parameters<typeof billedOnce>[2];
  path: string;
}

/** Returns what a new subscription bills, and the discounts that it redeems. `path` is the parameter that contains its items. */
function startOf(unit: UnitOfWork, customer: Customer, given: Sold, { items, path: pathOnce }: Added, path = 'items') {
  const lines = linesOf(unit, given, path);
  const billedIn = given.currency ?? lines[0]?.price.currency ?? 'usd';
  rejectSecondCurrency(unit, customer, billedIn);
  const id = newId('sub_1');
  const once = billedOnce(unit, { customer, currency: billedIn, subscription: id, path: pathOnce }, items);
  const redeemer = { customer: customer.id, subscription: null, currency: billedIn, kept: [] };
  const subtotal = once.reduce((sum, { amount }) => sum + amount, subtotalOf(unit, lines, billedIn));
  const { fresh } = wantedDiscounts(unit, given.discounts ?? [], { ...redeemer, subtotal });
  const discountedLines = lines.map((line, index) => {
    const ofLine = { ...redeemer, subtotal: subtotalOf(unit, [line], billedIn) };
    const wanted = given.items[index]?.discounts ?? [];
    return { ...line, discounts: wantedDiscounts(unit, wanted, ofLine, `${path}[${index}][discounts]`).fresh };
  });
  const automaticTax = given.automatic_tax?.enabled ?? false;
  const added = once.map(lineOfItem);
  return { id, customer, currency: billedIn, lines: discountedLines, added, automaticTax, discounts: fresh };
}

function linesOf(unit: UnitOfWork, given: Sold, path: string) {
  let expected = given.currency ?? null;
  const lines = given.items.map((item, index) => {
    const price = recurringPrice(unit, item.price, `${path}[${index}][price]`, expected);
    expected ??= price.currency;
    const quantity = quantityOf(price, item.quantity, `${path}[${index}][quantity]`);
    return { price, quantity, metadata: mergeMetadata({}, item.metadata) };
  });
  rejectMixedCadences(lines.map(({ price }) => price));
  return lines;
}

function trialEndOf(unit: UnitOfWork, given: Partial<Given>): number | null {
  const { trial_end: end, trial_period_days: days } = given;
  if (end !== undefined && days !== undefined)
    throw invalidRequest('You may only specify one of these parameters: trial_end, trial_period_days.', 'trial_end');
  if (days !== undefined) return unit.now + days * DAY_SECONDS;
  if (end === undefined || end === 'now') return null;
  if (end <= unit.now)
    throw invalidRequest('Invalid timestamp: must be an integer Unix timestamp in the future.', 'trial_end');
  return end;
}

/** Returns the days that the customer has to pay an invoice; null when it is charged automatically. */
function daysOf(given: Given): number | null {
  const { collection_method: method, days_until_due: days } = given;
  if (method !== 'send_invoice') {
    if (days === undefined) return null;
    throw invalidRequest(
      'You can only set `days_until_due` if the collection method is `send_invoice`.',
      'days_until_due',
    );
  }
  if (days === undefined)
    throw invalidRequest(
      "If you specify `collection_method='send_invoice'`, you must also specify `days_until_due`.",
      'days_until_due',
    );
  return days;
}

/** Returns the card that pays: the given one, else the customer's default. */
function cardOf(unit: UnitOfWork, customer: Customer, given: Given): PaymentMethod | null {
  const id = given.default_payment_method ?? customer.invoice_settings.default_payment_method;
  const card = typeof id === 'string' ? unit.tables.payment_method.get(id) : undefined;
  if (given.default_payment_method !== undefined && card?.customer !== customer.id)
    throw noSuch('PaymentMethod', given.default_payment_method, 'default_payment_method');
  return card ?? null;
}

function requireCard(unit: UnitOfWork, given: Given, card: PaymentMethod | null): void {
  if (!card) throw noPaymentMethod();
  if (given.payment_behavior === 'error_if_incomplete') refuseUnpaid(unit, card);
}
