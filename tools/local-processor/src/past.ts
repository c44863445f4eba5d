import { Stripe } from 'stripe';
import { LocalProcessorControl } from './control/client.ts';

const DAY_SECONDS = 86_400;
const PAST_DAYS = 700;

const MONTHLY = { interval: 'month' } as const;
const TIERS = [
  { up_to: 5, unit_amount: 1_000 },
  { up_to: 50, unit_amount: 800, flat_amount: 500 },
  { up_to: 'inf', unit_amount_decimal: Stripe.Decimal.from('612.5') },
] as const;

/** Recurring prices of every kind. Every second subscriber has the first one, the others have the next one each. */
const PRICES: readonly Omit<Stripe.PriceCreateParams, 'product'>[] = [
  { currency: 'usd', unit_amount: 900, recurring: MONTHLY },
  { currency: 'usd', unit_amount: 29_900, recurring: { interval: 'year' } },
  { currency: 'eur', unit_amount: 900, recurring: MONTHLY },
  { currency: 'jpy', unit_amount: 1_200, recurring: MONTHLY },
  { currency: 'usd', unit_amount: 250, recurring: { interval: 'week' }, nickname: 'Weekly pass' },
  { currency: 'gbp', unit_amount: 7_999, recurring: { ...MONTHLY, interval_count: 3 } },
  { currency: 'usd', unit_amount: 2_999, recurring: MONTHLY, currency_options: { eur: { unit_amount: 2_799 } } },
  { currency: 'usd', billing_scheme: 'tiered', tiers_mode: 'graduated', tiers: [...TIERS], recurring: MONTHLY },
  { currency: 'eur', billing_scheme: 'tiered', tiers_mode: 'volume', tiers: [...TIERS], recurring: MONTHLY },
  { currency: 'usd', unit_amount: 500, recurring: MONTHLY, transform_quantity: { divide_by: 10, round: 'up' } },
  { currency: 'usd', unit_amount: 40, recurring: { ...MONTHLY, usage_type: 'metered' } },
];

/** One customer whose part of the past is to be made. */
interface Subscriber {
  readonly stripe: Stripe;
  readonly control: LocalProcessorControl;
  readonly customer: Stripe.Customer;
  readonly price: Stripe.Price;
  /** Unix seconds of the account's clock. */
  readonly now: number;
}

type Story = (subscriber: Subscriber) => Promise<unknown>;

/** Subscribes the customer; another currency is charged if the price has one. */
function subscribe({ stripe, customer, price }: Subscriber, more: Partial<Stripe.SubscriptionCreateParams> = {}) {
  const { metadata, id } = customer;
  const currency = Object.keys(price.currency_options ?? {}).findLast(code => code !== price.currency);
  const quantity = price.recurring?.usage_type === 'metered' ? {} : { quantity: 1 + (id.charCodeAt(5) % 4) };
  return stripe.subscriptions.create({
    customer: id,
    metadata,
    items: [{ price: price.id, ...quantity }],
    ...(currency !== undefined && { currency }),
    ...more,
  });
}

const live: Story = subscriber => subscribe(subscriber);

/** Has the card pay once, and decline from then on. */
async function breakCard({ control, customer }: Subscriber): Promise<void> {
  const { default_payment_method: card } = customer.invoice_settings;
  await control.setCardDeclines(typeof card === 'string' ? card : (card?.id ?? ''), true);
}

async function chargeOf({ stripe, customer }: Subscriber): Promise<Stripe.Charge | undefined> {
  return (await stripe.charges.list({ customer: customer.id })).data.find(({ paid }) => paid);
}

/** What becomes of customers; each has the next one. */
const STORIES: readonly Story[] = [
  live,
  live,
  live,
  one => subscribe(one, { trial_period_days: 30 }),
  live,
  async one => {
    const { id } = await subscribe(one);
    const cancellation_details = { feedback: 'too_expensive', comment: 'We are a small team.' } as const;
    await one.stripe.subscriptions.update(id, { cancel_at_period_end: true, cancellation_details });
  },
  one => subscribe(one, { cancel_at: one.now + 40 * DAY_SECONDS }),
  one => subscribe(one, { cancel_at: one.now + 100 * DAY_SECONDS }),
  async one => {
    await subscribe(one);
    await breakCard(one);
  },
  async one => {
    await breakCard(one);
    await subscribe(one);
  },
  async one => {
    const { id } = await subscribe(one);
    await one.control.giveUp((await one.control.renew(id, 'decline')).id, 'unpaid');
  },
  async one => {
    const { id } = await subscribe(one, { trial_period_days: 14 });
    await one.control.endTrial(id, 'pause');
  },
  async one => {
    const { id } = await subscribe(one);
    await one.stripe.subscriptions.update(id, { pause_collection: { behavior: 'void' } });
  },
  one => subscribe(one, { collection_method: 'send_invoice', days_until_due: 30 }),
  async one => {
    await one.stripe.subscriptionSchedules.create({ from_subscription: (await subscribe(one)).id });
  },
  one => subscribe(one, { cancel_at: one.now + 100 * DAY_SECONDS }),
  one => subscribe(one, { discounts: [{ coupon: 'WELCOME20' }] }),
  async one => {
    await subscribe(one);
    const charge = await chargeOf(one);
    if (charge) await one.stripe.refunds.create({ charge: charge.id, amount: Math.ceil(charge.amount / 2) });
  },
  async one => {
    await subscribe(one);
    const charge = await chargeOf(one);
    if (charge) await one.control.openDispute(charge.id);
  },
  async () => {},
  async one => {
    await subscribe(one);
    await one.stripe.customers.del(one.customer.id);
  },
];

/**
 * Fills an account without customers with this many, who came during the last 700 days, more of them lately, and with what
 * became of them. It takes the API and the account's clock; no events are kept.
 * @throws Error when the account has customers
 */
export async function fillAccount(url: string, secretKey: string, customers: number): Promise<void> {
  const { hostname, port, protocol } = new URL(url);
  const stripe = new Stripe(secretKey, { host: hostname, port, protocol: protocol === 'https:' ? 'https' : 'http' });
  const control = new LocalProcessorControl(url, secretKey);
  await control.rewindClock(PAST_DAYS * DAY_SECONDS);
  const product = await stripe.products.create({ name: 'Pro' });
  const prices = await Promise.all(
    PRICES.map(price => stripe.prices.create({ ...price, product: product.id, expand: ['currency_options'] })),
  );
  await stripe.coupons.create({ id: 'WELCOME20', percent_off: 20, duration: 'forever' });
  let made = 0;
  for (let day = 0; day < PAST_DAYS; day += 1) {
    const { now } = await control.clock();
    const until = Math.ceil(customers * ((day + 1) / PAST_DAYS) ** 2);
    const numbers = Array.from({ length: until - made }, (_, index) => made + index);
    await Promise.all(
      numbers.map(async number => {
        const customer = await stripe.customers.create(personOf(number));
        const price = prices[number % 2 === 0 ? 0 : (number >> 1) % prices.length];
        if (price) await STORIES[number % STORIES.length]?.({ stripe, control, customer, price, now });
      }),
    );
    made = until;
    await control.advanceClock(DAY_SECONDS);
  }
}

/** Some customers have no e-mail, some that of the one before them; two applications mark theirs. */
function personOf(number: number): Stripe.CustomerCreateParams {
  const mailbox = number % 33 === 32 ? number - 1 : number;
  const app = ['shop', 'shop', 'forum', undefined][number % 4];
  return {
    name: `Customer ${number}`,
    ...(number % 25 !== 24 && { email: `customer${mailbox}@example.com` }),
    metadata: app === undefined ? { source: 'crm' } : { app },
    payment_method: 'pm_card_visa',
    invoice_settings: { default_payment_method: 'pm_card_visa' },
  };
}
