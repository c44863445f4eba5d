import type { SyncCreate } from '@billing/client';
import { waitFor } from '@billing/testing/wait-for';
import { expect } from 'vitest';
import { newEmail, type Tenant } from '../../system/tenant.ts';

/** Runs a sync to its end, and returns it with its findings. */
export async function runSync({ billing }: Tenant, wanted: SyncCreate) {
  const { id } = await billing.syncs.create(wanted);
  const ended = await waitFor(
    async () => {
      const found = await billing.syncs.get(id);
      return found.status === 'queued' || found.status === 'running' ? undefined : found;
    },
    { what: 'the sync to end' },
  );
  expect(ended.error).toBeNull();
  expect(ended.status).toBe('completed');
  return { sync: ended, findings: await Array.fromAsync(billing.syncs.findings(id)) };
}

/** An account as it was before it was connected: a product with a price, and customers who pay for it. */
export async function newAccount(tenant: Tenant, customers: number, marks: Readonly<Record<string, string>> = {}) {
  const { callProcessor } = tenant;
  const metadata = Object.fromEntries(Object.entries(marks).map(([key, value]) => [`metadata[${key}]`, value]));
  const product = await callProcessor('/v1/products', { name: 'Old plan', ...metadata });
  const price = await callProcessor('/v1/prices', {
    product: product.id,
    currency: 'usd',
    unit_amount: '1500',
    'recurring[interval]': 'month',
  });
  const ids: string[] = [];
  for (let index = 0; index < customers; index += 1)
    ids.push(await billedCustomer(tenant, newEmail(), price.id, metadata));
  return { productId: product.id as string, priceId: price.id as string, customerIds: ids };
}

/** Creates a customer at the processor, who pays for the price if one is given. */
export async function billedCustomer(
  { callProcessor }: Tenant,
  email: string | null,
  priceId: string | null,
  metadata: Readonly<Record<string, string>> = {},
): Promise<string> {
  const identity = email === null ? { name: 'Nameless' } : { email };
  const { id } = await callProcessor('/v1/customers', { ...identity, payment_method: 'pm_card_visa', ...metadata });
  if (priceId === null) return id;
  const { data } = await callProcessor(`/v1/payment_methods?customer=${id}`);
  await callProcessor('/v1/subscriptions', {
    customer: id,
    default_payment_method: data[0].id,
    'items[0][price]': priceId,
  });
  return id;
}
