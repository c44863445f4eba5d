import { randomUUID } from 'node:crypto';
import { it } from 'vitest';
import { CONTRACT_KEY_PREFIX } from './clean-up.ts';
import type { Processor } from '../../src/port.ts';
import type { NewCheckoutSession } from '../../src/selling.ts';

/** Stripe or a stand-in for it, with an account that tests may write to. */
export interface StandIn {
  /** Absent for Stripe itself. */
  readonly baseUrl?: string;
  readonly secretKey: string;
  /** Pays (or saves a card) on the hosted page of an open session, as the customer would; null if no program can. */
  readonly pay: ((session: { readonly id: string; readonly url: string }) => Promise<void>) | null;
  close(): Promise<void>;
}

/** Where hosted pages redirect to. */
const successUrl = 'https://example.com/done?session={CHECKOUT_SESSION_ID}';
const cancelUrl = 'https://example.com/back';

export type Cases = ReturnType<typeof casesOf>;

/**
 * Makes what the tests share: the port, and the objects that they need. `canPay` is whether the hosted page can be paid: without it the tests of `paidIt` are
 * skipped.
 */
export function casesOf(processor: () => Processor, standIn: () => StandIn, canPay: boolean) {
  const paidIt = canPay ? it : it.skip;
  const key = () => `${CONTRACT_KEY_PREFIX}${randomUUID()}`;
  const createCustomer = (metadata: Record<string, string> = {}) =>
    processor().createCustomer({ email: `${randomUUID()}@example.com`, name: 'Ada', metadata }, key());
  const createPrice = async (
    recurring: { interval: 'month'; intervalCount: number } | null,
    more: Partial<Parameters<Processor['createPrice']>[0]> = {},
  ) => {
    const product = await processor().createProduct({ name: 'Pro', metadata: {} }, key());
    const price = { productId: product.id, unitAmount: 2_999, currency: 'usd', recurring, metadata: {}, ...more };
    return processor().createPrice(price, key());
  };
  /** Creates a code for a third off one product, once. */
  const createCode = async (productId: string) => {
    const off = { name: 'Third', off: { percent: 33.33 }, duration: 'once', productIds: [productId] } as const;
    const coupon = await processor().createCoupon({ ...off, metadata: {} }, key());
    return processor().createPromotionCode({ couponId: coupon.id, metadata: {} }, key());
  };
  const monthly = { interval: 'month', intervalCount: 1 } as const;
  const openCheckout = async (more: Partial<NewCheckoutSession> = {}) => {
    const customer = await createCustomer();
    const price = await createPrice(more.mode === 'payment' ? null : monthly);
    const lines = [{ priceId: price.id, quantity: 2 }];
    const wanted = {
      mode: 'subscription',
      customerId: customer.id,
      lines,
      successUrl,
      cancelUrl,
      metadata: {},
    } as const;
    return { customer, price, session: await processor().createCheckoutSession({ ...wanted, ...more }, key()) };
  };
  /** Creates a session in which the customer saves a card. */
  const openSetup = (customerId: string) =>
    processor().createSetupSession({ customerId, currency: 'usd', successUrl, cancelUrl, metadata: {} }, key());
  const pay = async (session: { id: string; url: string | null }) => {
    if (session.url === null) throw new Error(`The session ${session.id} has no hosted page.`);
    const { pay: payPage } = standIn();
    if (!payPage) throw new Error('The hosted page cannot be paid here; the test belongs to `paidIt`.');
    await payPage({ id: session.id, url: session.url });
    return processor().findCheckoutSession(session.id);
  };
  const subscribe = async (more: Partial<NewCheckoutSession> = {}) => {
    const { customer, price, session } = await openCheckout(more);
    const { subscriptionId } = await pay(session);
    if (subscriptionId === null) throw new Error('The paid session created no subscription.');
    return { customer, price, subscription: await processor().findSubscription(subscriptionId) };
  };
  return {
    paidIt,
    processor,
    standIn,
    key,
    createCustomer,
    createPrice,
    createCode,
    monthly,
    openCheckout,
    openSetup,
    pay,
    subscribe,
  };
}
