import fc from 'fast-check';
import type { Stripe } from 'stripe';
import { expect, test } from 'vitest';
import { LocalProcessorControl } from '../src/control/client.ts';
import { connect, freshKey, startProcessor } from './processor.ts';

const quantity = fc.integer({ min: 0, max: 40 });
const line = fc.oneof(
  fc.record({ price: fc.nat({ max: 2 }), quantity }),
  fc.record({ product: fc.nat({ max: 2 }), unitAmount: fc.integer({ min: 0, max: 9_000 }), quantity }),
  fc.record({ amount: fc.integer({ min: -20_000, max: 30_000 }) }),
);
type Line = typeof line extends fc.Arbitrary<infer Value> ? Value : never;

const invoice = fc.record({
  lines: fc.array(line, { minLength: 1, maxLength: 15 }),
  prices: fc.array(fc.integer({ min: 0, max: 50_000 }), { minLength: 3, maxLength: 3 }),
  currency: fc.constantFrom('usd', 'eur'),
  /** Where it is taxed, if at all, and whether prices include the tax. */
  country: fc.constantFrom(null, 'DE', 'JP', 'US'),
  isInclusive: fc.boolean(),
  /** The coupons of the codes that it redeems; of none, its customer's discount holds. */
  codes: fc.subarray(['percent', 'amount', 'product']),
  isDiscounted: fc.boolean(),
  /** Of the customer; negative for credit. */
  balance: fc.integer({ min: -60_000, max: 3_000 }),
  /** What waits for the next invoice. */
  waiting: fc.array(fc.integer({ min: -500, max: 9_000 }), { maxLength: 3 }),
});

const COUPONS: Record<string, (product: string) => Stripe.CouponCreateParams> = {
  percent: () => ({ percent_off: 33.33, duration: 'once' }),
  amount: () => ({ amount_off: 1_234, currency: 'usd', currency_options: { eur: { amount_off: 1_111 } } }),
  product: product => ({ percent_off: 12.5, applies_to: { products: [product] } }),
};

/** What the preview and the invoice must agree on; what waits is taxed at nothing. */
const essence = (shown: Stripe.Invoice, lines = shown.lines.data) => ({
  lines: lines.map(({ amount, description, quantity: count }) => ({ amount, description, count })),
  discounts: (shown.total_discount_amounts ?? []).map(({ amount }) => amount),
  subtotal: shown.subtotal,
  total: shown.total,
  taxes: (shown.total_taxes ?? [])
    .filter(({ amount, taxable_amount: taxable }) => amount !== 0 || taxable !== 0)
    .toSorted((some, other) => some.tax_behavior.localeCompare(other.tax_behavior)),
  due: shown.amount_due,
  starting: shown.starting_balance,
});

test('an invoice of some lines equals its preview to the cent', { timeout: 120_000 }, async () => {
  await using processor = await startProcessor();
  await fc.assert(
    fc.asyncProperty(invoice, async ({ lines, currency, country, balance, waiting, codes, ...given }) => {
      const key = freshKey();
      const stripe = connect(processor, key);
      const { id: customer } = await stripe.customers.create(
        country ? { address: { country, postal_code: '94107' } } : {},
      );
      if (balance !== 0) await stripe.customers.createBalanceTransaction(customer, { amount: balance, currency });
      const tax_behavior = given.isInclusive ? 'inclusive' : 'exclusive';
      const prices: { id: string; product: string }[] = [];
      for (const unit_amount of given.prices) {
        const { id: product } = await stripe.products.create({ name: `Product of ${unit_amount}` });
        const currency_options = { eur: { unit_amount: unit_amount + 7, tax_behavior } } as const;
        const price = { product, currency: 'usd', unit_amount, tax_behavior, currency_options } as const;
        prices.push({ id: (await stripe.prices.create(price)).id, product });
      }
      const discounts: { promotion_code: string }[] = [];
      const couponOf = async (name: string) =>
        (await stripe.coupons.create({ duration: 'forever', ...COUPONS[name]?.(prices[0]?.product ?? '') })).id;
      for (const name of codes) {
        const coupon = await couponOf(name);
        const code = await stripe.promotionCodes.create({ promotion: { type: 'coupon', coupon } });
        discounts.push({ promotion_code: code.id });
      }
      if (given.isDiscounted)
        await new LocalProcessorControl(processor.url, key).discountCustomer(customer, await couponOf('percent'));
      for (const amount of waiting) await stripe.invoiceItems.create({ customer, amount, currency });

      const common = { customer, currency, ...(discounts.length > 0 && { discounts }) };
      const terms = { ...common, automatic_tax: { enabled: country !== null } };
      const { data } = await stripe.invoiceItems.list({ customer, pending: true });
      const ignored = data.map(({ id }) => ({ invoiceitem: id, amount: 0 }));
      const { named, billed } = paramsOf(lines, prices, currency);
      const preview = await stripe.invoices.createPreview({ ...terms, invoice_items: [...named, ...ignored] });
      const { id } = await stripe.invoices.create(terms);
      const drafted = await stripe.invoices.addLines(id, { lines: billed });
      const finalized = await stripe.invoices.finalizeInvoice(id);

      const shown = (await stripe.invoices.listLineItems(preview.id, { limit: 100 })).data;
      const kept = shown.slice(ignored.length);
      const real = (await stripe.invoices.listLineItems(id, { limit: 100 })).data;
      expect(essence(drafted, real)).toEqual(essence(preview, kept));
      expect(essence(finalized, real)).toEqual(essence(preview, kept));
      expect(finalized.ending_balance).toBe(preview.ending_balance);
      const after = await stripe.customers.retrieve(customer);
      expect(after).toMatchObject({ balance: preview.ending_balance });
      expect((await stripe.invoiceItems.list({ customer, pending: true })).data).toHaveLength(waiting.length);
    }),
    { numRuns: 40 },
  );
});

/** The parameters of lines as previews and as invoices name them. */
function paramsOf(lines: readonly Line[], prices: readonly { id: string; product: string }[], currency: string) {
  const named: Stripe.InvoiceCreatePreviewParams.InvoiceItem[] = [];
  const billed: Stripe.InvoiceAddLinesParams.Line[] = [];
  for (const one of lines) {
    if ('amount' in one) {
      named.push({ ...one, currency, description: 'An amount' });
      billed.push({ ...one, description: 'An amount' });
    } else if ('price' in one) {
      const price = prices[one.price]?.id ?? '';
      named.push({ price, quantity: one.quantity });
      billed.push({ pricing: { price }, quantity: one.quantity });
    } else {
      const product = prices[one.product]?.product ?? '';
      const data = { price_data: { currency, product, unit_amount: one.unitAmount }, quantity: one.quantity };
      named.push(data);
      billed.push(data);
    }
  }
  return { named, billed };
}
