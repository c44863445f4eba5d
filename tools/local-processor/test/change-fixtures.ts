import type { Stripe } from 'stripe';
import { connect, freshKey } from './processor.ts';

export type Terms = Partial<Stripe.SubscriptionUpdateParams>;

/** An account whose customer lives on a test clock, with prices and one subscription of one item. */
export async function startOnClock(
  processor: { url: string },
  start: string | number,
  { amount = 1_000, quantity = 1, card = 'pm_card_visa', key = freshKey(), ...more }: Start = {},
) {
  const stripe = connect(processor, key);
  const from = seconds(start);
  const clock = await stripe.testHelpers.testClocks.create({ frozen_time: from });
  const customer = await stripe.customers.create({
    email: 'ada@example.com',
    test_clock: clock.id,
    payment_method: card,
    invoice_settings: { default_payment_method: card },
  });
  const product = await stripe.products.create({ name: 'Pro' });
  const createPrice = (unit_amount: number, interval: 'month' | 'year' | 'week' = 'month', interval_count = 1) =>
    stripe.prices.create({
      product: product.id,
      currency: 'usd',
      unit_amount,
      recurring: { interval, interval_count },
    });
  const price = await createPrice(amount);
  const items = [{ price: price.id, quantity }];
  const subscription = await stripe.subscriptions.create({ customer: customer.id, items, ...more });
  const item = subscription.items.data[0]?.id ?? '';
  /** The parameters that give the only item another price or quantity. */
  const to = (change: { price?: string; quantity?: number }) => ({ items: [{ id: item, ...change }] });
  return {
    stripe,
    key,
    customer,
    product,
    price,
    subscription,
    item,
    to,
    createPrice,
    advance: (time: string | number) => stripe.testHelpers.testClocks.advance(clock.id, { frozen_time: seconds(time) }),
    change: (params: Terms) => stripe.subscriptions.update(subscription.id, { expand: ['latest_invoice'], ...params }),
    preview: (details: Stripe.InvoiceCreatePreviewParams.SubscriptionDetails, others: object = {}) =>
      stripe.invoices.createPreview({ subscription: subscription.id, subscription_details: details, ...others }),
    current: () => stripe.subscriptions.retrieve(subscription.id, { expand: ['latest_invoice'] }),
    balance: async () => {
      const found = await stripe.customers.retrieve(customer.id);
      return found.deleted ? 0 : found.balance;
    },
    invoices: async () => (await stripe.invoices.list({ customer: customer.id, limit: 100 })).data,
  };
}

interface Start extends Partial<Omit<Stripe.SubscriptionCreateParams, 'customer' | 'items'>> {
  /** Per unit, in cents. */
  amount?: number;
  quantity?: number;
  card?: string;
  key?: string;
}

export const seconds = (time: string | number): number =>
  typeof time === 'number' ? time : Date.parse(time.includes('T') ? time : `${time}T00:00:00Z`) / 1_000;

/** The expanded newest invoice of a subscription. */
export function invoiceOf({ latest_invoice: invoice }: Stripe.Subscription): Stripe.Invoice {
  if (invoice === null || typeof invoice === 'string') throw new Error('The invoice is not expanded.');
  return invoice;
}

/** The amounts of an invoice's lines. */
export const amountsOf = (invoice: Stripe.Invoice): number[] => invoice.lines.data.map(({ amount }) => amount);
