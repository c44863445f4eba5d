import { invalidRequest } from '../api/errors.ts';
import type { UnitOfWork } from '../api/unit-of-work.ts';
import { locationOf, type Taxation, type TaxLocation, taxationOf, taxOf } from '../domain/tax-rates.ts';
import { customerOrNull } from '../objects/finding.ts';
import { automaticTaxOf, subscriptionOf } from '../objects/invoice.ts';
import { currencyOptionsOf } from '../objects/price.ts';
import { subscriptionTaxOf } from '../objects/subscription.ts';
import type { Customer, Invoice, InvoiceLine, LineItem } from '../objects/stored.ts';
import { activeScheduleOf, currentPhaseOf } from './phases.ts';

type LineTax = NonNullable<InvoiceLine['taxes']>[number];

/** Returns where a customer is taxed: at its address, else at that of its card; null when that says too little. */
export function taxLocationOf(unit: Pick<UnitOfWork, 'tables'>, customer: Customer): TaxLocation | null {
  if (customer.address) return locationOf(customer.address);
  const { default_payment_method: id } = customer.invoice_settings;
  const card = typeof id === 'string' ? unit.tables.payment_method.get(id) : undefined;
  return locationOf(card?.billing_details.address ?? null);
}

/** @throws ApiError 400 when it is not known where the customer is taxed */
export function requireTaxLocation(unit: UnitOfWork, customer: Customer): void {
  if (taxLocationOf(unit, customer)) return;
  throw invalidRequest(
    "The customer's location isn't recognized. Set a valid customer address in order to automatically calculate tax.",
    undefined,
    'customer_tax_location_invalid',
  );
}

/** Returns the lines of a session with their tax; without it where the location is not recognized yet. */
export function taxedItems(unit: UnitOfWork, lines: readonly LineItem[], taxation: Taxation | null): LineItem[] {
  return lines.map(line => {
    const net = line.amount_subtotal - line.amount_discount;
    const sale = { price: line.price.id, currency: line.currency, amount: net };
    if (!taxation) return { ...line, amount_tax: 0, amount_total: net };
    const tax = taxOfPrice(unit, taxation, sale);
    return { ...line, amount_tax: tax.amount, amount_total: tax.tax_behavior === 'inclusive' ? net : net + tax.amount };
  });
}

/** Returns how sales to a customer are taxed; null when its location is not recognized. */
export function taxationFor(unit: Pick<UnitOfWork, 'tables'>, customer: Customer | null): Taxation | null {
  const location = customer && taxLocationOf(unit, customer);
  if (!location) return null;
  const ids = unit.tables.tax_id.withField('customer', customer.id);
  const believed = ids.filter(({ verification }) => verification?.status !== 'unverified');
  return taxationOf(
    location,
    customer.tax_exempt,
    believed.map(({ country }) => country),
  );
}

/** Returns the tax of an amount of a price in a currency, in the form of invoices and sessions. */
function taxOfPrice(
  unit: UnitOfWork,
  taxation: Taxation,
  sale: { price: string; currency: string; amount: number },
): LineTax {
  const price = unit.tables.price.get(sale.price);
  const option = price && price.currency !== sale.currency && currencyOptionsOf(unit, price)[sale.currency];
  const behavior = (option || price)?.tax_behavior;
  const { location, rate, reason } = taxation;
  const { amount, taxable } = taxOf(sale.amount, rate, behavior === 'inclusive');
  return {
    amount,
    tax_behavior: behavior === 'inclusive' ? 'inclusive' : 'exclusive',
    tax_rate_details: { tax_rate: `txr_local_${location.country.toLowerCase()}_${rate}` },
    taxability_reason: reason,
    taxable_amount: reason === 'standard_rated' ? taxable : 0,
    type: 'tax_rate_details',
  };
}

/**
 * Returns a draft or preview with its tax; one without automatic tax as it is. Without a recognized location there is none,
 * and `automatic_tax.status` says so.
 */
export function taxed(unit: UnitOfWork, invoice: Invoice): Invoice {
  if (!invoice.automatic_tax.enabled) return invoice;
  const taxation = taxationFor(unit, customerOrNull(unit, invoice.customer));
  if (!taxation) return withTaxes(invoice, () => [], { ...invoice.automatic_tax, status: 'requires_location_inputs' });
  const taxesOf = ({ pricing, currency, amount, discount_amounts: off }: InvoiceLine) => {
    const net = off.reduce((sum, one) => sum - one.amount, amount);
    return [taxOfPrice(unit, taxation, { price: pricing.price_details.price, currency, amount: net })];
  };
  return withTaxes(invoice, taxesOf, { ...invoice.automatic_tax, status: 'complete' });
}

/**
 * Returns a draft as it is finalized. When the location was lost it is untaxed, and automatic tax is turned off on its
 * subscription, which goes on. (Stripe: https://docs.stripe.com/tax/customer-locations#invoice-finalization-errors)
 */
export function taxedFinally(unit: UnitOfWork, draft: Invoice): Invoice {
  const invoice = taxed(unit, draft);
  if (invoice.automatic_tax.status !== 'requires_location_inputs') return invoice;
  stopTax(unit, subscriptionOf(draft) ?? '');
  const stopped = { ...automaticTaxOf(false), disabled_reason: 'finalization_requires_location_inputs' as const };
  return { ...invoice, automatic_tax: stopped };
}

/** Turns automatic tax off on a subscription and its schedule, because the customer's location is not recognized. */
function stopTax(unit: UnitOfWork, id: string): void {
  const subscription = unit.tables.subscription.get(id);
  if (!subscription) return;
  const automatic_tax = subscriptionTaxOf(false, 'requires_location_inputs');
  const schedule = activeScheduleOf(unit, subscription);
  if (schedule) {
    const current = currentPhaseOf(schedule);
    const phases = schedule.phases.map(phase => (phase === current ? { ...phase, automatic_tax } : phase));
    const default_settings = { ...schedule.default_settings, automatic_tax };
    unit.update('subscription_schedule', schedule, { phases, default_settings });
  }
  unit.update('subscription', subscription, { automatic_tax });
}

function withTaxes(
  invoice: Invoice,
  taxesOf: (line: InvoiceLine) => LineTax[],
  automatic_tax: Invoice['automatic_tax'],
): Invoice {
  const data = invoice.lines.data.map(line => ({ ...line, taxes: taxesOf(line) }));
  const taxes = data.flatMap(line => line.taxes);
  const inclusive = sumOf(taxes.filter(({ tax_behavior: behavior }) => behavior === 'inclusive'));
  const all = sumOf(taxes);
  const net = invoice.subtotal - sumOf(invoice.total_discount_amounts ?? []);
  const total = net + all - inclusive;
  return {
    ...invoice,
    automatic_tax,
    lines: { ...invoice.lines, data },
    total,
    total_taxes: summed(taxes),
    total_excluding_tax: total - all,
    subtotal_excluding_tax: invoice.subtotal - inclusive,
  };
}

const sumOf = (amounts: readonly { amount: number }[]): number => amounts.reduce((sum, { amount }) => sum + amount, 0);

/** Returns one tax for each rate, reason and behavior. */
function summed(taxes: readonly LineTax[]): NonNullable<Invoice['total_taxes']> {
  const sums = new Map<string, LineTax>();
  for (const tax of taxes) {
    const key = [tax.tax_behavior, tax.taxability_reason, tax.tax_rate_details?.tax_rate].join();
    const before = sums.get(key);
    const taxable = (before?.taxable_amount ?? 0) + (tax.taxable_amount ?? 0);
    sums.set(key, { ...tax, amount: (before?.amount ?? 0) + tax.amount, taxable_amount: taxable });
  }
  return [...sums.values()];
}
