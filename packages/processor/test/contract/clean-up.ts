import { setTimeout as sleep } from 'node:timers/promises';
import { Stripe } from 'stripe';

/** How the idempotency key of every object begins that the contract creates. */
export const CONTRACT_KEY_PREFIX = 'contract:';

/** The newest events are listed with a delay. */
const EVENT_DELAY_MS = 5_000;

/**
 * Deletes the customers (which ends their subscriptions) and the coupons, and deletes or archives the prices and products that the
 * contract has created since a time. Stripe has no call that deletes prices, payments and events; those of a test
 * account remain. The objects are found by the idempotency keys of their events.
 */
export async function cleanUp(stripe: Stripe, since: Date, delayMs = EVENT_DELAY_MS): Promise<void> {
  await sleep(delayMs);
  const types = ['customer.created', 'coupon.created', 'price.created', 'product.created'];
  const filter = { types, limit: 100 };
  const created = { gte: Math.floor(since.getTime() / 1_000) - 60 };
  for await (const { request, data } of stripe.events.list({ ...filter, created })) {
    if (request?.idempotency_key?.startsWith(CONTRACT_KEY_PREFIX) !== true) continue;
    const { object } = data;
    if (object.object === 'customer') await ignoreRefusal(stripe.customers.del(object.id));
    if (object.object === 'coupon') await ignoreRefusal(stripe.coupons.del(object.id));
    if (object.object === 'price') await ignoreRefusal(stripe.prices.update(object.id, { active: false }));
    if (object.object === 'product')
      await ignoreRefusal(
        stripe.products.del(object.id).catch(() => stripe.products.update(object.id, { active: false })),
      );
  }
}

/** Ignores that Stripe refuses a call: the object is already gone, or it is a default price. */
async function ignoreRefusal(call: Promise<unknown>): Promise<void> {
  await call.catch((error: unknown) => {
    if (!(error instanceof Stripe.errors.StripeInvalidRequestError)) throw error;
  });
}
