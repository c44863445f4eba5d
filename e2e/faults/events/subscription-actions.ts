import { saveCard } from '../invariants/sold-at-once.ts';
import { payOnHostedPage } from '../../system/tenant.ts';
import { changing, ofNewest, pick, planAt, type Action, type Price, type Prices } from './action.ts';
import type { Buyer } from './history.ts';

const urls = { successUrl: 'https://shop.example/done', cancelUrl: 'https://shop.example/' };

/** Subscriptions that start, are billed, change and end. */
export const SUBSCRIPTION_ACTIONS = {
  subscribe: (buyer, prices, number) => pay(buyer, planAt(prices, number)),
  'start a trial': (buyer, prices, number) => pay(buyer, planAt(prices, number), { trialDays: 7 }),
  'sell to the saved card': async (buyer, prices, number) => {
    await saveCard(buyer.tenant, buyer.processorCustomerId);
    await sell(buyer, { collect: 'saved', ...soldOf(prices, number) });
  },
  'sell by invoice': (buyer, prices, number) => sell(buyer, { collect: 'invoice', ...soldOf(prices, number) }),
  'sell a trial without a page': (buyer, prices, number) =>
    sell(buyer, { collect: 'nothing', trialDays: 7, priceId: planAt(prices, number).id }),
  renew: ofNewest(({ tenant }, { id }) => tenant.processor.renew(id)),
  'fail to renew': ofNewest(({ tenant }, { id }) => tenant.processor.renew(id, 'decline')),
  'stop retrying payment': ofNewest(({ tenant }, { id }) => tenant.processor.giveUp(id, 'unpaid')),
  'end trial': ofNewest(({ tenant }, { id }) => tenant.processor.endTrial(id)),
  pause: ofNewest(({ tenant }, { id }) => tenant.processor.pause(id)),
  resume: ofNewest(({ tenant }, { id }) => tenant.callProcessor(`/v1/subscriptions/${id}/resume`, {})),
  'schedule cancellation': changing(() => ({ cancel_at_period_end: 'true' })),
  'revoke cancellation': changing(() => ({ cancel_at_period_end: 'false' })),
  'change quantity': changing((number, { items }) => ({
    'items[0][id]': items.data[0].id,
    'items[0][quantity]': `${number + 2}`,
  })),
  'set discount': ofNewest(async ({ tenant }, { id }) => {
    const coupon = await tenant.callProcessor('/v1/coupons', { percent_off: '20', duration: 'forever' });
    await tenant.callProcessor(`/v1/subscriptions/${id}`, { 'discounts[0][coupon]': coupon.id });
  }),
  'remove discounts': changing(() => ({ discounts: '' })),
  'change plan': movingTo((prices, number) => planAt(prices, number).processorPriceId),
  'move to a package price': movingTo(({ atDashboard }) => atDashboard.package),
  'move to a decimal price': movingTo(({ atDashboard }) => atDashboard.decimal),
  'move to a tiered price': movingTo(({ atDashboard }) => atDashboard.tiered),
  'move to a metered price': movingTo(({ atDashboard }) => atDashboard.metered),
  'subscribe at dashboard': (buyer, prices, number) =>
    subscribeAtDashboard(buyer, { 'items[0][price]': planAt(prices, number).processorPriceId }),
  'subscribe in another currency': (buyer, { atDashboard }, number) =>
    subscribeAtDashboard(buyer, {
      currency: 'eur',
      'items[0][price]': atDashboard.inTwoCurrencies,
      'items[0][quantity]': `${1 + (number % 3)}`,
    }),
  'pause collection': changing(number => ({
    'pause_collection[behavior]': pick(['void', 'keep_as_draft', 'mark_uncollectible'], number) ?? 'void',
    ...(number % 2 === 0 && { 'pause_collection[resumes_at]': `${Math.floor(Date.now() / 1_000) + 30 * 86_400}` }),
  })),
  'resume collection': changing(() => ({ pause_collection: '' })),
  'cancel by schedule': ofNewest(async ({ tenant }, { id, schedule }) => {
    const path = '/v1/subscription_schedules';
    const { id: scheduleId } = schedule
      ? { id: schedule }
      : await tenant.callProcessor(path, { from_subscription: id });
    await tenant.callProcessor(`${path}/${scheduleId}`, { end_behavior: 'cancel' });
  }),
  'release schedule': ofNewest(async ({ tenant }, { schedule }, number) => {
    const kept = number % 2 === 0 ? 'true' : 'false';
    if (schedule)
      await tenant.callProcessor(`/v1/subscription_schedules/${schedule}/release`, { preserve_cancel_date: kept });
  }),
  'change metadata': changing(number => ({ 'metadata[note]': `${number}` })),
  'end subscription': ofNewest(({ tenant }, { id }) => tenant.processor.end(id)),
} as const satisfies Record<string, Action>;

/** Returns an action that changes the price of the buyer's newest subscription. */
function movingTo(priceOf: (prices: Prices, number: number) => string): Action {
  return (buyer, prices, number) =>
    changing((_, { items }) => ({
      'items[0][id]': items.data[0].id,
      'items[0][price]': priceOf(prices, number),
    }))(buyer, prices, number);
}

/** Creates a subscription at the processor, paid with a new card, as the dashboard does. */
export async function subscribeAtDashboard(
  { tenant, processorCustomerId: customer }: Pick<Buyer, 'tenant' | 'processorCustomerId'>,
  terms: Readonly<Record<string, string>>,
): Promise<void> {
  const card = await tenant.callProcessor('/v1/payment_methods/pm_card_visa/attach', { customer });
  await tenant.callProcessor('/v1/subscriptions', { customer, default_payment_method: card.id, ...terms });
}

/** A sale without a page. */
interface Sale {
  readonly collect: 'saved' | 'invoice' | 'nothing';
  readonly trialDays?: number;
  readonly priceId?: string;
  readonly items?: readonly { readonly priceId: string; readonly quantity?: number }[];
}

/** What a sale without a page sells: a plan, or several of it with a price that is paid once. */
const soldOf = (prices: Prices, number: number) => {
  const { id: priceId } = planAt(prices, number);
  return number % 2 === 0 ? { priceId } : { items: [{ priceId, quantity: 2 }, { priceId: prices.once.id }] };
};

const sell = ({ tenant, customerId }: Buyer, terms: Sale) => tenant.billing.checkout.create({ customerId, ...terms });

async function pay({ tenant, customerId }: Buyer, { id: priceId }: Price, terms: { trialDays?: number } = {}) {
  const { url } = await tenant.billing.checkout.create({ customerId, priceId, ...urls, ...terms });
  await payOnHostedPage(url);
}
