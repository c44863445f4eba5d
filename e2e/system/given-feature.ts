import { randomBytes } from 'node:crypto';
import { waitFor } from '@billing/testing/wait-for';
import type { Tenant } from './tenant.ts';

/** What gives a feature, and to whom. */
interface Giving {
  readonly productId: string;
  readonly priceId: string;
  readonly customerId: string;
}

/**
 * Defines a feature that a product and its price give, and that a customer was granted, who gets an id of the tenant's own.
 * Waits until the customer's state includes it.
 */
export async function newGivenFeature(
  { billing }: Tenant,
  { productId, priceId, customerId }: Giving,
): Promise<{ readonly featureKey: string; readonly externalCustomerId: string }> {
  const featureKey = `f${randomBytes(8).toString('hex')}`;
  const externalCustomerId = `user-${randomBytes(8).toString('hex')}`;
  await Promise.all([
    billing.features.create({ key: featureKey, name: 'Seats', type: 'limit' }),
    billing.customers.update(customerId, { externalId: externalCustomerId }),
  ]);
  await Promise.all([
    billing.productFeatures.set(productId, featureKey, { value: 5 }),
    billing.priceFeatures.set(priceId, featureKey, { value: 6 }),
    billing.grants.set(customerId, featureKey, { value: 7 }),
  ]);
  const check = () => billing.states.check({ externalId: externalCustomerId }, featureKey).catch(() => undefined);
  await waitFor(async () => (await check())?.value === 7, { what: 'the state to include the grant' });
  return { featureKey, externalCustomerId };
}
