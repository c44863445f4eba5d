import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Stripe } from 'stripe';
import { CONTRACT_KEY_PREFIX } from '../clean-up.ts';
import { outlineOf, type Recording } from './recording.ts';

/** What only a stand-in can do, through its control API. */
export interface Control {
  pause(subscription: string): Promise<unknown>;
  deletePrice(priceId: string): Promise<void>;
  openDispute(chargeId: string): Promise<{ id: string }>;
  closeDispute(disputeId: string, outcome: 'won' | 'lost'): Promise<unknown>;
  restrictKey(key: string, missing: readonly string[]): Promise<void>;
}

/** An account of Stripe's API, in which a case creates its own objects. */
export type ApiAccount = ReturnType<typeof apiAccount>;

const PATIENCE_MS = 90_000;
const TIMEOUT_MS = 30_000;

/** Makes what cases share. Whatever is created under a key of the contract is cleaned up at Stripe after the run. */
export function apiAccount(stripe: Stripe, recording: Recording) {
  const once = () => ({
    idempotencyKey: `${CONTRACT_KEY_PREFIX}${randomUUID()}`,
    maxNetworkRetries: 2,
    timeout: TIMEOUT_MS,
  });

  /** Records what fields an object has, to compare them with Stripe's. */
  const record = <Value>(name: string, value: Value): Value => {
    recording.add(name, outlineOf(value));
    return value;
  };

  /** Returns how a call is refused, and records it. Throws when it is not refused. */
  const refusalOf = async (name: string, call: Promise<unknown>): Promise<Refusal> => {
    const error = await call.then(
      () => undefined,
      (cause: unknown) => cause,
    );
    if (!(error instanceof Stripe.errors.StripeError)) throw error ?? new Error(`${name} was not refused.`);
    const { statusCode, rawType, code, param, message } = error;
    const refusal = { status: statusCode ?? 0, type: rawType ?? 'none', code: code ?? 'none', param: param ?? 'none' };
    const { status, ...words } = refusal;
    recording.add(name, { status: `status ${status}`, ...words });
    return { ...refusal, message };
  };

  const createCustomer = (more: Stripe.CustomerCreateParams = {}) =>
    stripe.customers.create({ email: `${randomUUID()}@example.com`, ...more }, once());

  /** Creates a customer whose default card is one of Stripe's test cards. */
  const createPayer = (card = 'pm_card_visa', more: Stripe.CustomerCreateParams = {}) =>
    createCustomer({ payment_method: card, invoice_settings: { default_payment_method: card }, ...more });

  const createProduct = (more: Partial<Stripe.ProductCreateParams> = {}) =>
    stripe.products.create({ name: 'Pro', ...more }, once());

  /** Creates a product with a price of 29.99 usd a month. */
  const createPrice = async (more: Partial<Stripe.PriceCreateParams> = {}) => {
    const amount = 'billing_scheme' in more || 'unit_amount_decimal' in more ? {} : { unit_amount: 2_999 };
    const monthly = { currency: 'usd', recurring: { interval: 'month' as const }, ...amount };
    const product = more.product ?? (await createProduct()).id;
    return stripe.prices.create({ ...monthly, ...more, product }, once());
  };

  /** Creates a subscription that a test card pays; its newest invoice is expanded. */
  const subscribe = async (more: Partial<Stripe.SubscriptionCreateParams> = {}) => {
    const customer = more.customer ?? (await createPayer()).id;
    const items = more.items ?? [{ price: (await createPrice()).id, quantity: 1 }];
    return stripe.subscriptions.create({ ...more, customer, items, expand: ['latest_invoice'] }, once());
  };

  /** Runs a part of a case with a test clock, which is deleted with its customers. `advance` waits until all is done. */
  const withTestClock = async (
    use: (testClock: string, advance: (seconds: number) => Promise<void>) => Promise<void>,
    start = Math.floor(Date.now() / 1_000),
  ): Promise<void> => {
    const { testClocks } = stripe.testHelpers;
    const clock = record('clock', await testClocks.create({ frozen_time: start, name: 'Contract' }, once()));
    try {
      await use(clock.id, async seconds => {
        record('advancing', await testClocks.advance(clock.id, { frozen_time: start + seconds }, once()));
        await eventually(async () => {
          const { status } = await testClocks.retrieve(clock.id);
          return status === 'ready' ? status : undefined;
        });
      });
    } finally {
      await testClocks.del(clock.id);
    }
  };

  /** Repeats a read until it returns something: Stripe's events, disputes and searches come late. */
  const eventually = async <Value>(read: () => Promise<Value | undefined>): Promise<Value> => {
    const deadline = Date.now() + PATIENCE_MS;
    for (;;) {
      const value = await read();
      if (value !== undefined) return value;
      if (Date.now() > deadline) throw new Error(`Nothing came within ${PATIENCE_MS / 1_000} s.`);
      await sleep(1_000);
    }
  };

  /** Waits for the event of a type about an object. */
  const findEvent = (type: string, objectId: string) =>
    eventually(async () => {
      const { data } = await stripe.events.list({ type, limit: 100 });
      return data.find(event => 'id' in event.data.object && event.data.object.id === objectId);
    });

  return {
    stripe,
    once,
    record,
    refusalOf,
    createCustomer,
    createPayer,
    createProduct,
    createPrice,
    subscribe,
    withTestClock,
    eventually,
    findEvent,
  };
}

interface Refusal {
  status: number;
  type: string;
  code: string;
  param: string;
  message: string;
}

/** Returns the id in a field that has an id or an expanded object. */
export function idOf(reference: string | { id: string } | null | undefined): string {
  if (reference === null || reference === undefined) throw new Error('The field has no id.');
  return typeof reference === 'string' ? reference : reference.id;
}
