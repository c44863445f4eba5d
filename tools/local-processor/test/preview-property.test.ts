import fc from 'fast-check';
import type { Stripe } from 'stripe';
import { expect, test } from 'vitest';
import { amountsOf, invoiceOf, type Terms, seconds, startOnClock } from './change-fixtures.ts';
import { startProcessor } from './processor.ts';

const DAY = 86_400;
/** How long an invoice is a draft. */
const HOUR = 3_600;
const START = seconds('2026-01-31');

const cadence = fc.constantFrom(['month', 1], ['month', 3], ['year', 1], ['week', 1] as const);
const seat = fc.record({ amount: fc.integer({ min: 0, max: 50_000 }), cadence });
const step = fc.record({
  /** How long after the change before, in seconds. */
  after: fc.integer({ min: 0, max: 6 * DAY }),
  price: fc.nat({ max: 2 }),
  quantity: fc.option(fc.integer({ min: 0, max: 40 }), { nil: undefined }),
  behavior: fc.constantFrom('always_invoice', 'create_prorations', 'none'),
  /** How long before the change its prorations begin; 0 for none given. */
  backdated: fc.integer({ min: 0, max: DAY }),
  resetsAnchor: fc.boolean(),
  /** How many of an add-on it has besides. */
  addOns: fc.option(fc.integer({ min: 0, max: 5 }), { nil: undefined }),
  /** What is to be billed once besides, and whether it is of the subscription. */
  fee: fc.option(fc.record({ amount: fc.integer({ min: -500, max: 9_000 }), isOfCustomer: fc.boolean() })),
  /** What becomes of its discounts. */
  discounts: fc.constantFrom('kept', 'kept', 'kept', 'none', 'percent', 'amount', 'months', 'both'),
});
const history = fc.record({
  prices: fc.array(seat, { minLength: 3, maxLength: 3 }),
  quantity: fc.integer({ min: 1, max: 40 }),
  steps: fc.array(step, { minLength: 1, maxLength: 4 }),
  /** Where it is taxed, if at all, and whether prices include the tax. */
  country: fc.constantFrom(null, 'DE', 'JP', 'US'),
  isInclusive: fc.boolean(),
});

const COUPONS: Record<string, Stripe.CouponCreateParams> = {
  percent: { percent_off: 33.33, duration: 'forever' },
  amount: { amount_off: 1_234, currency: 'usd', duration: 'once' },
  months: { percent_off: 7.5, duration: 'repeating', duration_in_months: 1 },
};

/** What a preview and the invoice that follows must agree on. */
const essence = (invoice: Stripe.Invoice) => ({
  lines: amountsOf(invoice),
  discounts: (invoice.total_discount_amounts ?? []).map(({ amount }) => amount),
  subtotal: invoice.subtotal,
  descriptions: invoice.lines.data.map(({ description }) => description),
  total: invoice.total,
  taxes: invoice.total_taxes,
  due: invoice.amount_due,
  balances: [invoice.starting_balance, invoice.ending_balance],
});

test('an invoice equals its preview to the cent, whatever changes before', { timeout: 120_000 }, async () => {
  await using processor = await startProcessor();
  await fc.assert(
    fc.asyncProperty(history, async ({ prices: wanted, quantity, steps, country, isInclusive }) => {
      const automatic_tax = { enabled: country !== null };
      const account = await startOnClock(processor, START, { amount: wanted[0]?.amount ?? 0, quantity, automatic_tax });
      if (country) {
        const address = { country, postal_code: '94107' };
        await account.stripe.customers.update(account.customer.id, { address });
      }
      const prices = await Promise.all(
        wanted.map(({ amount, cadence: [interval, count] }) => account.createPrice(amount, interval, count)),
      );
      if (isInclusive)
        for (const { id } of prices) await account.stripe.prices.update(id, { tax_behavior: 'inclusive' });
      const addOns = await Promise.all(
        wanted.map(({ amount, cadence: [interval, count] }) =>
          account.createPrice(Math.floor(amount / 3), interval, count),
        ),
      );
      const coupons = new Map<string, string>();
      for (const [name, coupon] of Object.entries(COUPONS))
        coupons.set(name, (await account.stripe.coupons.create(coupon)).id);
      const discountsFor = (choice: string) => {
        if (choice === 'kept') return {};
        if (choice === 'none') return { discounts: '' as const };
        const names = choice === 'both' ? ['percent', 'amount'] : [choice];
        return { discounts: names.map(name => ({ coupon: coupons.get(name) ?? '' })) };
      };
      let now = START;
      for (const {
        after,
        price,
        quantity: seats,
        behavior,
        backdated,
        resetsAnchor,
        addOns: extra,
        fee,
        discounts,
      } of steps) {
        if (after > 0) await account.advance((now += after));
        const subscription = await account.current();
        if (fee)
          await account.stripe.invoiceItems.create({
            customer: account.customer.id,
            currency: 'usd',
            amount: fee.amount,
            ...(!fee.isOfCustomer && { subscription: subscription.id }),
          });
        const added = subscription.items.data.find(({ id }) => id !== account.item);
        const addOn = { ...(added && { id: added.id }), price: addOns[price]?.id ?? '' };
        const others =
          extra === undefined ? (added ? [{ id: added.id, deleted: true }] : []) : [{ ...addOn, quantity: extra }];
        const begun = subscription.items.data[0]?.current_period_start ?? 0;
        // A new anchor takes no date.
        const mayPin = backdated > 0 && behavior !== 'none' && !resetsAnchor && now - backdated >= begun;
        const date = mayPin ? now - backdated : undefined;
        const given = seats === undefined ? {} : { quantity: seats };
        const terms: Terms & Stripe.InvoiceCreatePreviewParams.SubscriptionDetails = {
          items: [{ id: account.item, price: prices[price]?.id ?? '', ...given }, ...others],
          proration_behavior: behavior,
          ...(date === undefined ? {} : { proration_date: date }),
          ...(resetsAnchor ? { billing_cycle_anchor: { type: 'now' } } : {}),
        };
        const redeemed = discountsFor(discounts);
        const preview = await account.preview(terms, redeemed);
        const changed = await account.change({ ...terms, ...redeemed });
        const isBilled = invoiceOf(changed).id !== invoiceOf(subscription).id;
        expect(essence(isBilled ? invoiceOf(changed) : await account.preview({}))).toEqual(essence(preview));
      }
      const next = await account.preview({});
      await account.advance(next.created + HOUR);
      expect(essence(invoiceOf(await account.current()))).toEqual(essence(next));
    }),
    { numRuns: 40 },
  );
});
