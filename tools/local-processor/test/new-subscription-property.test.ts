import fc from 'fast-check';
import type { Stripe } from 'stripe';
import { expect, test } from 'vitest';
import { LocalProcessorControl } from '../src/control/client.ts';
import { connect, freshKey, startProcessor } from './processor.ts';

const DAY = 86_400;

const sold = fc.record({ price: fc.nat({ max: 2 }), quantity: fc.integer({ min: 0, max: 40 }) });
const sale = fc.record({
  items: fc.array(sold, { minLength: 1, maxLength: 4 }),
  addedOnce: fc.array(sold, { maxLength: 4 }),
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
  /** What waits for the customer's next invoice. */
  waiting: fc.array(fc.integer({ min: -500, max: 9_000 }), { maxLength: 3 }),
  trialDays: fc.option(fc.integer({ min: 1, max: 730 }), { nil: undefined }),
  isSent: fc.boolean(),
});

const COUPONS: Record<string, (product: string) => Partial<Stripe.CouponCreateParams>> = {
  percent: () => ({ percent_off: 33.33 }),
  amount: () => ({ amount_off: 1_234, currency: 'usd', currency_options: { eur: { amount_off: 1_111 } } }),
  product: product => ({ percent_off: 12.5, applies_to: { products: [product] } }),
};

/** What the preview and the invoice must agree on. */
const essence = (invoice: Stripe.Invoice) => ({
  lines: invoice.lines.data.map(({ amount, description, quantity, period }) => [amount, description, quantity, period]),
  discounts: (invoice.total_discount_amounts ?? []).map(({ amount }) => amount),
  subtotal: invoice.subtotal,
  total: invoice.total,
  taxes: invoice.total_taxes,
  due: invoice.amount_due,
  starting: invoice.starting_balance,
});

test('the first invoice of a subscription equals its preview to the cent', { timeout: 120_000 }, async () => {
  await using processor = await startProcessor();
  await fc.assert(
    fc.asyncProperty(sale, async ({ items, addedOnce, currency, country, balance, trialDays, ...given }) => {
      const key = freshKey();
      const stripe = connect(processor, key);
      const control = new LocalProcessorControl(processor.url, key);
      const clock = await stripe.testHelpers.testClocks.create({ frozen_time: (await control.clock()).now });
      const { id: customer } = await stripe.customers.create({
        test_clock: clock.id,
        payment_method: 'pm_card_visa',
        invoice_settings: { default_payment_method: 'pm_card_visa' },
        ...(country && { address: { country, postal_code: '94107' } }),
      });
      if (balance !== 0) await stripe.customers.createBalanceTransaction(customer, { amount: balance, currency });
      const tax_behavior = given.isInclusive ? 'inclusive' : 'exclusive';
      const products: string[] = [];
      const priced = async (recurring?: Stripe.PriceCreateParams.Recurring) => {
        const ids: string[] = [];
        for (const [index, unit_amount] of given.prices.entries()) {
          products[index] ??= (await stripe.products.create({ name: `Product of ${unit_amount}` })).id;
          const product = products[index] ?? '';
          const currency_options = { eur: { unit_amount: unit_amount + 7, tax_behavior } } as const;
          const price = { product, currency: 'usd', unit_amount, tax_behavior, currency_options } as const;
          ids.push((await stripe.prices.create({ ...price, ...(recurring && { recurring }) })).id);
        }
        return ({ price, quantity }: { price: number; quantity: number }) => ({ price: ids[price] ?? '', quantity });
      };
      const monthly = items.map(await priced({ interval: 'month' }));
      const once = addedOnce.map(await priced());
      const couponOf = async (name: string) =>
        (await stripe.coupons.create({ duration: 'forever', ...COUPONS[name]?.(products[0] ?? '') })).id;
      const discounts: { promotion_code: string }[] = [];
      for (const name of given.codes) {
        const promotion = { type: 'coupon', coupon: await couponOf(name) } as const;
        discounts.push({ promotion_code: (await stripe.promotionCodes.create({ promotion })).id });
      }
      if (given.isDiscounted) await control.discountCustomer(customer, await couponOf('percent'));
      for (const amount of given.waiting) await stripe.invoiceItems.create({ customer, amount, currency });

      const common = { customer, currency, ...(discounts.length > 0 && { discounts }) };
      const terms = { ...common, automatic_tax: { enabled: country !== null } };
      const trial = trialDays === undefined ? {} : { trial_end: clock.frozen_time + trialDays * DAY };
      const preview = await stripe.invoices.createPreview({
        ...terms,
        subscription_details: { items: monthly, ...trial },
        ...(once.length > 0 && { invoice_items: once }),
      });
      const created = await stripe.subscriptions.create({
        ...terms,
        items: monthly,
        ...(once.length > 0 && { add_invoice_items: once }),
        ...(trialDays !== undefined && { trial_period_days: trialDays }),
        ...(given.isSent
          ? { collection_method: 'send_invoice', days_until_due: 30 }
          : { payment_behavior: 'error_if_incomplete' }),
      });
      const whole = async (invoice: Stripe.Invoice) => {
        const lines = await stripe.invoices.listLineItems(invoice.id, { limit: 100 });
        return { ...invoice, lines };
      };
      const shown = await whole(preview);
      const [first] = (await stripe.invoices.list({ customer })).data;
      if (!first) throw new Error('The subscription was not billed.');
      expect(essence(await whole(first))).toEqual(essence(shown));
      expect(created.status).toBe(trialDays === undefined ? 'active' : 'trialing');
      const billed = given.isSent ? await stripe.invoices.finalizeInvoice(first.id) : first;
      expect(billed.status).toBe(given.isSent && preview.amount_due > 0 ? 'open' : 'paid');
      expect(essence(await whole(billed))).toEqual(essence(shown));
      expect(billed.ending_balance).toBe(preview.ending_balance);
      expect(await stripe.customers.retrieve(customer)).toMatchObject({ balance: preview.ending_balance });
      expect((await stripe.invoiceItems.list({ customer, pending: true })).data).toEqual([]);
    }),
    { numRuns: 40 },
  );
});
