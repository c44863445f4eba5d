import type { SyncCreate, SyncFinding } from '@billing/client';
import { waitFor } from '@billing/testing/wait-for';
import { expect } from 'vitest';
import { ok } from '../../system/http.ts';
import { newEmail, type Tenant } from '../../system/tenant.ts';

/** Runs a sync to its end, and returns it with its findings. */
export async function runSync({ user, P, billing }: Tenant, wanted: SyncCreate) {
  // A session: a key may not compare the whole account, nor see what is not the project's.
  const { sync } = await ok(user.post(`${P}/syncs`, wanted), 202);
  const id = String(sync.id);
  const ended = await waitFor(
    async () => {
      const found = await billing.syncs.get(id);
      return found.status === 'queued' || found.status === 'running' ? undefined : found;
    },
    { what: 'the sync to end' },
  );
  expect(ended.error).toBeNull();
  expect(ended.status).toBe('completed');
  return { sync: ended, findings: await findingsOf({ user, P }, id) };
}

/** Returns everything that a sync has found, as a session sees it. */
export async function findingsOf({ user, P }: Pick<Tenant, 'user' | 'P'>, syncId: string): Promise<SyncFinding[]> {
  const all: SyncFinding[] = [];
  for (let cursor = ''; ;) {
    const { findings, pagination } = await ok(user.get(`${P}/syncs/${syncId}/findings?limit=100${cursor}`));
    all.push(...findings);
    if (!pagination.nextCursor) return all;
    cursor = `&cursor=${encodeURIComponent(pagination.nextCursor)}`;
  }
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
