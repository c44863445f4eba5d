import type { Fields } from './fields.ts';
import { flag, reference, shortText, text, unixTime, wholeNumber } from './values.ts';

/** Sums up the amounts of a list, such as what each discount takes off. */
export const sumOf = (of: Fields, name: string): number => total(of.array(name, parseAmount));

/**
 * Parses the taxes of an invoice of any API version, and their sum, of which the prices have inclusive ones already. They have
 * another name before 2025-03-31, and the oldest invoices have only the sum.
 * https://docs.stripe.com/changelog/basil/2025-03-31/invoice-tax-configurations
 */
export function readTaxes(invoice: Fields) {
  const current = invoice.array('total_taxes', parseTax);
  const taxes = current.length > 0 ? current : invoice.array('total_tax_amounts', parseTax);
  return { taxes, tax: taxes.length > 0 ? total(taxes) : (invoice.optional('tax', wholeNumber) ?? 0) };
}

const parseTax = (it: Fields) => ({
  ...parseAmount(it),
  taxableAmount: it.optional('taxable_amount', wholeNumber),
  inclusive: it.optional('inclusive', flag) ?? it.optional('tax_behavior', shortText) === 'inclusive',
  /** Why it is so much, in the processor's words. */
  reason: it.optional('taxability_reason', shortText),
});

const parseAmount = (it: Fields) => ({ amount: it.required('amount', wholeNumber) });

const total = (amounts: readonly { readonly amount: number }[]): number =>
  amounts.reduce((sum, { amount }) => sum + amount, 0);

/** Parses a line of an invoice of any API version: before 2025-03-31 its price and whether it prorates are in the line itself. */
export function readLine(line: Fields) {
  const period = line.object('period', it => ({
    start: it.required('start', unixTime),
    end: it.required('end', unixTime),
  }));
  const isProration = line.optionalObject('parent', parent =>
    ['subscription_item_details', 'invoice_item_details'].some(
      name => parent.optionalObject(name, it => it.optional('proration', flag)) === true,
    ),
  );
  const priceId = line.optionalObject('pricing', pricing =>
    pricing.optionalObject('price_details', it => it.optional('price', reference)),
  );
  return {
    description: line.optional('description', text),
    /** Before discounts; prorations contain them. */
    amount: line.required('amount', wholeNumber),
    quantity: line.optional('quantity', wholeNumber),
    priceId: priceId ?? line.optional('price', reference),
    periodStart: period.start,
    periodEnd: period.end,
    isProration: isProration ?? line.optional('proration', flag) ?? false,
  };
}
