import type { Stripe } from 'stripe';
import { z } from 'zod';
import { invalidRequest, noPaymentMethod, noSuch } from '../api/errors.ts';
import { mergeMetadata } from '../api/metadata.ts';
import { boolean, choice, expand, integer, metadata, parameters, text, timestamp } from '../api/parameters.ts';
import type { UnitOfWork } from '../api/unit-of-work.ts';
import { rebatesIn } from '../billing/checkout-discounts.ts';
import { wantedDiscounts } from '../billing/discounts.ts';
import { refuseUnpaid } from '../billing/payments.ts';
import { requireTaxLocation } from '../billing/tax.ts';
import { startSubscription } from '../billing/subscriptions.ts';
import { discountAmounts } from '../domain/discounts.ts';
import { existing } from '../objects/finding.ts';
import { subtotalOf } from '../objects/price.ts';
import type { Customer, Discount, PaymentMethod, Subscription } from '../objects/stored.ts';
import type { Billed } from '../objects/subscription.ts';
import { discountsParameter } from './coupons.ts';
import { currency } from './price-amounts.ts';
import { quantityOf, recurringPrice, rejectSecondCurrency } from './prices.ts';
import { newItemsParameter, rejectMixedCadences } from './subscription-items.ts';
import { updateSubscription } from './subscription-update.ts';

const DAY_SECONDS = 86_400;

export const createParameters = parameters<Stripe.SubscriptionCreateParams>()({
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
  const lines = linesOf(unit, given);
  const chosenCurrency = given.currency ?? lines[0]?.price.currency ?? 'usd';
  rejectSecondCurrency(unit, customer, chosenCurrency);
  if (given.automatic_tax?.enabled) requireTaxLocation(unit, customer);
  const trialEnd = trialEndOf(unit, given);
  const daysUntilDue = daysOf(given);
  const card = cardOf(unit, customer, given);
  const subtotal = subtotalOf(unit, lines, chosenCurrency);
  const redeemer = { customer: customer.id, subscription: null, currency: chosenCurrency, subtotal, kept: [] };
  const { fresh } = wantedDiscounts(unit, given.discounts ?? [], redeemer);
  const discountedLines = lines.map((line, index) => {
    const ofLine = { ...redeemer, subtotal: subtotalOf(unit, [line], chosenCurrency) };
    const wanted = given.items[index]?.discounts ?? [];
    return { ...line, discounts: wantedDiscounts(unit, wanted, ofLine, `items[${index}][discounts]`).fresh };
  });
  const isCharged = trialEnd === null && daysUntilDue === null && isDue(unit, discountedLines, chosenCurrency, fresh);
  if (isCharged && given.payment_behavior !== 'default_incomplete') requireCard(unit, given, card);
  const { subscription } = startSubscription(unit, {
    customer,
    currency: chosenCurrency,
    lines: discountedLines,
    description: given.description ?? null,
    metadata: mergeMetadata({}, given.metadata),
    trial_end: trialEnd,
    default_payment_method: given.default_payment_method ?? null,
    card: daysUntilDue !== null || given.payment_behavior === 'default_incomplete' ? null : card,
    days_until_due: daysUntilDue,
    automaticTax: given.automatic_tax?.enabled ?? false,
    discounts: fresh,
    paymentIntent: null,
  });
  const { cancel_at, cancel_at_period_end } = given;
  if (cancel_at === undefined && cancel_at_period_end !== true) return subscription;
  return updateSubscription(unit, subscription, { cancel_at, cancel_at_period_end });
}

function linesOf(unit: UnitOfWork, given: Given) {
  let expected = given.currency ?? null;
  const lines = given.items.map((item, index) => {
    const price = recurringPrice(unit, item.price, `items[${index}][price]`, expected);
    expected ??= price.currency;
    const quantity = quantityOf(price, item.quantity, `items[${index}][quantity]`);
    return { price, quantity, metadata: mergeMetadata({}, item.metadata) };
  });
  rejectMixedCadences(lines.map(({ price }) => price));
  return lines;
}

function trialEndOf(unit: UnitOfWork, given: Given): number | null {
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

/** Returns whether the discounts of a new subscription and its items leave something of what it bills. */
function isDue(unit: UnitOfWork, lines: readonly Billed[], billedIn: string, discounts: readonly Discount[]): boolean {
  const billed = lines.map((line, index) => ({
    amount: subtotalOf(unit, [line], billedIn),
    product: line.price.product,
    item: `${index}`,
  }));
  const ofLines = lines.flatMap((line, index) =>
    rebatesIn(unit, line.discounts ?? [], billedIn).map(one => ({ ...one, item: `${index}` })),
  );
  const off = discountAmounts(billed, [...ofLines, ...rebatesIn(unit, discounts, billedIn)]).flat();
  return subtotalOf(unit, lines, billedIn) > off.reduce((sum, { amount }) => sum + amount, 0);
}

function requireCard(unit: UnitOfWork, given: Given, card: PaymentMethod | null): void {
  if (!card) throw noPaymentMethod();
  if (given.payment_behavior === 'error_if_incomplete') refuseUnpaid(unit, card);
}
