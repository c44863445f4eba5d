import type { Stripe } from 'stripe';
import { expect } from 'vitest';
import { type ApiAccount, idOf } from './account.ts';
import { apiCase } from './case.ts';

const seconds = (time: string) => Date.parse(time) / 1_000;
export const amountsOf = ({ lines }: Stripe.Invoice) => lines.data.map(({ amount }) => amount);
export const NOW = { proration_behavior: 'always_invoice' } as const;

/** A monthly subscription on a test clock, changed at a later time. */
interface Situation {
  start: number;
  at: number;
  amount: number;
  quantity?: number;
  discounts?: Stripe.SubscriptionCreateParams.Discount[];
}

/** What a case does at that time. */
export interface Moment {
  readonly subscription: Stripe.Subscription;
  /** The parameters that give the only item another price or quantity. */
  readonly to: (change: { price?: string; quantity?: number }) => { items: Stripe.SubscriptionUpdateParams.Item[] };
  readonly preview: (details: Stripe.InvoiceCreatePreviewParams.SubscriptionDetails) => Promise<Stripe.Invoice>;
  readonly change: (
    params: Stripe.SubscriptionUpdateParams,
  ) => Promise<{ subscription: Stripe.Subscription; invoice: Stripe.Invoice }>;
  readonly advance: (seconds: number) => Promise<void>;
}

/** Runs a case in a situation. */
export async function changing(
  account: ApiAccount,
  { start, at, amount, quantity = 1, discounts = [] }: Situation,
  run: (moment: Moment) => Promise<void>,
): Promise<void> {
  const { stripe, once, createPayer, createPrice, subscribe, withTestClock } = account;
  await withTestClock(async (test_clock, advance) => {
    const { id: customer } = await createPayer('pm_card_visa', { test_clock });
    const price = await createPrice({ unit_amount: amount });
    const subscription = await subscribe({ customer, items: [{ price: price.id, quantity }], discounts });
    await advance(at - start);
    await run({
      subscription,
      to: change => ({ items: [{ id: subscription.items.data[0]?.id ?? '', ...change }] }),
      preview: subscription_details =>
        stripe.invoices.createPreview({ subscription: subscription.id, subscription_details }),
      change: async params => {
        const expand = ['latest_invoice'];
        const changed = await stripe.subscriptions.update(subscription.id, { expand, ...params }, once());
        return { subscription: changed, invoice: await stripe.invoices.retrieve(idOf(changed.latest_invoice)) };
      },
      advance,
    });
  }, start);
}

export const APRIL = { start: seconds('2026-04-01T00:00:00Z'), at: seconds('2026-04-13T09:17:31Z') };

export const planChangeCases = [
  apiCase('is prorated to the second, with the next invoice', async account => {
    const start = 1_596_749_288;
    const date = 1_598_982_148;
    const dearer = await account.createPrice({ unit_amount: 3_252 });
    await changing(account, { start, at: date + 60, amount: 1_000 }, async ({ to, preview, change, advance }) => {
      const terms = { ...to({ price: dearer.id }), proration_date: date };
      const upcoming = account.record('preview', await preview(terms));
      expect([amountsOf(upcoming), upcoming.total]).toEqual([[-166, 541, 3_252], 3_627]);
      const { subscription, invoice } = await change(terms);
      expect(invoice.billing_reason).toBe('subscription_create');
      const waiting = await account.stripe.invoiceItems.list({ customer: idOf(subscription.customer), pending: true });
      expect(account.record('items', waiting).data.map(({ amount }) => amount)).toEqual([541, -166]);
      await advance(1_599_427_688 + 7_200 - start);
      const renewed = await account.stripe.subscriptions.retrieve(subscription.id, { expand: ['latest_invoice'] });
      expect(account.record('renewed', renewed).latest_invoice).toMatchObject({ total: 3_627, status: 'paid' });
    });
  }),

  apiCase('charges more seats now, as previewed', async account => {
    await changing(account, { ...APRIL, amount: 1_200, quantity: 5 }, async ({ to, preview, change }) => {
      const terms = { ...to({ quantity: 8 }), ...NOW };
      const before = await preview(terms);
      const { invoice, subscription } = await change(terms);
      expect([amountsOf(before), before.total]).toEqual([[-3_523, 5_636], 2_113]);
      expect(account.record('invoice', invoice)).toMatchObject({
        total: 2_113,
        amount_paid: 2_113,
        billing_reason: 'subscription_update',
      });
      expect(amountsOf(invoice)).toEqual(amountsOf(before));
      await account.findEvent('customer.subscription.updated', subscription.id);
    });
  }),

  apiCase('credits fewer seats to the balance', async account => {
    await changing(account, { ...APRIL, amount: 1_200, quantity: 5 }, async ({ to, preview, change }) => {
      const terms = { ...to({ quantity: 3 }), ...NOW };
      const due = { total: -1_409, amount_due: 0, ending_balance: -1_409 };
      expect(await preview(terms)).toMatchObject(due);
      const { invoice } = await change(terms);
      expect(account.record('invoice', invoice)).toMatchObject({ ...due, status: 'paid' });
      expect(await account.stripe.customers.retrieve(idOf(invoice.customer))).toMatchObject({ balance: -1_409 });
    });
  }),

  apiCase('begins a period now with another interval', async account => {
    const yearly = await account.createPrice({ unit_amount: 29_900, recurring: { interval: 'year' } });
    const march = { start: seconds('2026-03-01T00:00:00Z'), at: seconds('2026-03-21T00:00:00Z') };
    await changing(account, { ...march, amount: 2_999 }, async ({ to, preview, change }) => {
      const terms = { ...to({ price: yearly.id }), ...NOW };
      expect(amountsOf(await preview(terms))).toEqual([-1_064, 29_900]);
      const { invoice, subscription } = await change(terms);
      expect(amountsOf(account.record('invoice', invoice))).toEqual([-1_064, 29_900]);
      expect(subscription.billing_cycle_anchor).toBe(march.at);
      expect(subscription.items.data[0]?.current_period_end).toBe(seconds('2027-03-21T00:00:00Z'));
    });
  }),

  apiCase('moves its anchor when it is told to', async account => {
    await changing(account, { ...APRIL, amount: 3_000 }, async ({ change }) => {
      const { subscription } = await change({ billing_cycle_anchor: { type: 'now' }, proration_behavior: 'none' });
      expect(subscription.billing_cycle_anchor).toBe(APRIL.at);
      expect(subscription.latest_invoice).toMatchObject({ total: 3_000, billing_reason: 'subscription_update' });
    });
  }),

  apiCase('refuses a date beside a new anchor', async account => {
    await changing(account, { ...APRIL, amount: 3_000 }, async ({ preview, change }) => {
      const terms = { billing_cycle_anchor: { type: 'now' as const }, proration_date: APRIL.at };
      const refusal = { statusCode: 400, param: expect.stringContaining('proration_date') };
      await expect(preview({ ...terms, items: [] })).rejects.toMatchObject(refusal);
      await expect(change(terms)).rejects.toMatchObject(refusal);
    });
  }),

  apiCase('has one seat after a new price without a quantity', async account => {
    const other = await account.createPrice({ unit_amount: 1_500 });
    await changing(account, { ...APRIL, amount: 1_200, quantity: 5 }, async ({ to, change }) => {
      const { subscription } = await change(to({ price: other.id }));
      expect(subscription.items.data).toMatchObject([{ price: { id: other.id }, quantity: 1 }]);
    });
  }),

  apiCase('credits the older debit after a change without prorations', async account => {
    const second = await account.createPrice({ unit_amount: 6_000 });
    const at = seconds('2026-04-11T00:00:00Z');
    await changing(account, { ...APRIL, at, amount: 3_000 }, async ({ to, preview, change }) => {
      await change({ ...to({ price: second.id }), proration_behavior: 'none' });
      expect(amountsOf(await preview({ ...to({ quantity: 2 }), ...NOW }))).toEqual([-2_000, 8_000]);
    });
  }),

  apiCase('refuses a date outside of its period, and has no next invoice when it ends', async account => {
    await changing(account, { ...APRIL, amount: 1_200 }, async ({ to, preview, change }) => {
      const late = { ...to({ quantity: 2 }), proration_date: APRIL.start - 60 };
      expect(await account.refusalOf('date', change(late))).toMatchObject({ status: 400 });
      await change({ cancel_at_period_end: true });
      const none = await account.refusalOf('no invoice', preview({}));
      expect(none).toMatchObject({ status: 404, code: 'invoice_upcoming_none' });
    });
  }),
];
