import { payOnHostedPage } from '../../system/tenant.ts';
import { allowed, byApi, NothingThere, pick, pickThere, type Action } from './targets.ts';
import type { World } from './world.ts';

const TIMES = ['now', 'period_end', 'auto'] as const;
const BEHAVIORS = ['pending_if_incomplete', 'error_if_incomplete'] as const;

/** A subscription gets another price or another quantity. */
async function change(world: World, n: number, wanted: (quantity: number) => object) {
  const { id, quantity } = await pick(world, 'subscription', n);
  return allowed(world.api.post(`${world.P}/subscriptions/${id}/change`, wanted(Number(quantity))));
}

/** Has the cards of an account decline, or pay again. */
const setCards =
  (declines: boolean): Action =>
  async ({ tenant, fromProcessor }) => {
    const subscriptions = (await fromProcessor('subscriptions')) as unknown as {
      default_payment_method: string | null;
    }[]; // as Stripe returns them
    for (const { default_payment_method: card } of subscriptions)
      if (card) await tenant.processor.setCardDeclines(card, declines);
  };

/** A code that redeems a new coupon. */
async function newPromotionCode({ api, P }: World, n: number): Promise<string> {
  const terms = n % 2 === 0 ? { percentOff: 20 } : { amountOff: 100, currency: 'usd' };
  const { body } = await allowed(api.post(`${P}/coupons`, { name: 'Spring', duration: 'forever', ...terms }));
  const created = await allowed(api.post(`${P}/promotion-codes`, { couponId: body.coupon?.id }));
  return created.body.promotionCode?.code ?? 'NONE';
}

/** Changes of plans and discounts, by the tenant, the customer and the bank. */
export const PLAN_ACTIONS = {
  changePlan: async (world, n) => {
    const { id: priceId } = await pick(world, 'price', n + 1, { isActive: true });
    return change(world, n, () => ({ priceId, when: TIMES[n % 3], paymentBehavior: BEHAVIORS[n % 2] }));
  },
  /** Costs more, so that a card that declines leaves it pending. */
  growNow: async (world, n) => {
    const { id: priceId } = await pick(world, 'price', n + 1, { isActive: true });
    return change(world, n, quantity => ({ priceId, quantity: quantity + 1 }));
  },
  changeQuantity: (world, n) => change(world, n, () => ({ quantity: 1 + (n % 4) })),
  scheduleQuantity: (world, n) => change(world, n, quantity => ({ quantity: quantity + 1, when: 'period_end' })),
  dropChange: byApi('subscription', 'delete', undefined, '/change'),
  payForChange: async (world, n) => {
    const all = (await world.list('subscription')).flatMap(it => (it['pendingChange'] ? [it['pendingChange']] : []));
    const { hostedInvoiceUrl } = Object(all[n % all.length]);
    if (typeof hostedInvoiceUrl !== 'string') throw new NothingThere();
    await payOnHostedPage(hostedInvoiceUrl, n % 3 === 1 ? 'decline' : 'pay');
  },
  declineCards: setCards(true),
  acceptCards: setCards(false),
  setDiscount: async (world, n) => {
    const promotionCode = n % 3 === 2 ? null : await newPromotionCode(world, n);
    const { id } = await pick(world, 'subscription', n);
    return allowed(world.api.put(`${world.P}/subscriptions/${id}/discount`, { promotionCode }));
  },
  setDiscountThere: async (world, n) => {
    const { callProcessor } = world.tenant;
    const coupon = await callProcessor('/v1/coupons', { percent_off: `${10 + (n % 3)}`, duration: 'forever' });
    const path = `/v1/subscriptions/${await pickThere(world, 'subscriptions', n)}`;
    return callProcessor(path, { 'discounts[0][coupon]': coupon.id });
  },
  scheduleThere: async (world, n) =>
    world.tenant.callProcessor('/v1/subscription_schedules', {
      from_subscription: await pickThere(world, 'subscriptions', n),
    }),
} as const satisfies Readonly<Record<string, Action>>;
