import type { TestClock } from '@billing/client';
import { waitFor } from '@billing/testing/wait-for';
import { newEmail, newMonthlyPrice, newTenant, type Tenant } from '../../system/tenant.ts';

/** Where the clocks of the tests start. */
export const START = '2030-01-31T12:00:00.000Z';

/** Opens a project with a monthly price of 29.99 USD that gives 5 seats. */
export async function openProject() {
  const tenant = await newTenant();
  const { billing } = tenant;
  const { productId, priceId } = await newMonthlyPrice(tenant);
  await billing.features.create({ key: 'seats', name: 'Seats', type: 'limit' });
  await billing.productFeatures.set(productId, 'seats', { value: 5 });
  return { tenant, productId, priceId };
}

/** Creates a clock with a customer on it who has a card that pays. */
export async function newClock({ billing }: Tenant, now = START) {
  const clock = await billing.testClocks.create({ name: 'A year', now });
  const customer = await billing.customers.create({ email: newEmail(), testClockId: clock.id });
  await billing.customers.setTestCard(customer.id, { card: 'ok' });
  return { clock, customer };
}

/** Sells a price to a customer with a card, without a page. */
export async function sell({ billing }: Tenant, customerId: string, priceId: string, trialDays?: number) {
  const trial = trialDays === undefined ? {} : { trialDays };
  const { subscription } = await billing.checkout.create({ customerId, priceId, collect: 'saved', ...trial });
  if (!subscription) throw new Error('The sale made no subscription.');
  return subscription;
}

/** Waits until a clock is ready. */
export const whenReady = ({ billing }: Tenant, id: string): Promise<TestClock> =>
  waitFor(
    async () => {
      const clock = await billing.testClocks.get(id);
      if (clock.status === 'failed') throw new Error('The clock failed.');
      return clock.status === 'ready' ? clock : undefined;
    },
    { what: 'the clock to be ready', timeoutMs: 60_000, intervalMs: 50 },
  );
