import type { CatalogApply, Sync, SyncFinding } from '@billing/client';
import { waitFor } from '@billing/testing/wait-for';
import { expect } from 'vitest';
import type { Tenant } from '../../system/tenant.ts';
import { findingsOf } from '../syncs/account.ts';

/** Waits until a run has ended. */
export const ended = (tenant: Tenant, { id }: Pick<Sync, 'id'>): Promise<Sync> =>
  waitFor(
    async () => {
      const found = await tenant.billing.syncs.get(id);
      return found.status === 'queued' || found.status === 'running' ? undefined : found;
    },
    { what: 'the run to end' },
  );

/** Compares a document with a project's catalog, or applies it, to the end. */
export async function runCatalog(
  tenant: Tenant,
  catalog: CatalogApply['catalog'],
  wanted: Omit<CatalogApply, 'catalog'>,
): Promise<{ readonly sync: Sync; readonly findings: readonly SyncFinding[] }> {
  const sync = await ended(tenant, await tenant.billing.catalog.apply({ catalog, ...wanted }));
  expect(sync.error).toBeNull();
  expect(sync.status).toBe('completed');
  return { sync, findings: await findingsOf(tenant, sync.id) };
}

/** Returns the bytes of a project's catalog as its document. */
export const exported = async ({ billing }: Tenant): Promise<string> =>
  JSON.stringify((await billing.catalog.export()).catalog, null, 2);

/** Counts what was created at the processor by kind. */
export async function createdOf({ processor }: Tenant): Promise<Readonly<Record<string, number>>> {
  const { objects } = await processor.ledger();
  const kinds = ['product', 'price', 'coupon', 'promotion_code'];
  return Object.fromEntries(kinds.map(kind => [kind, objects.filter(({ object }) => object === kind).length]));
}

/** What applying {@link CATALOG} creates. */
export const CREATED = { product: 3, price: 4, coupon: 1, promotion_code: 2 };

/** A catalog with everything that a document can have. */
export const CATALOG: CatalogApply['catalog'] = {
  version: 1,
  features: [
    { key: 'api', name: 'API', type: 'boolean' },
    { key: 'old', name: 'Old', type: 'boolean', isActive: false },
    { key: 'seats', name: 'Seats', type: 'limit', merge: 'sum' },
    { key: 'support', name: 'Support', type: 'value', values: ['basic', 'priority'] },
  ],
  products: [
    { key: 'free', name: 'Free', prices: [{ key: 'free', unitAmount: 0, currency: 'usd', interval: 'month' }] },
    {
      key: 'legacy',
      name: 'Legacy',
      isActive: false,
      prices: [{ key: 'legacy', unitAmount: 700, currency: 'usd', interval: 'year', isActive: false }],
    },
    {
      key: 'pro',
      name: 'Pro',
      description: 'Everything, for one team',
      unitLabel: 'seat',
      metadata: { tier: 'pro' },
      features: { api: { value: true }, seats: { value: 5, per: 'quantity' }, support: { value: 'priority' } },
      prices: [
        {
          key: 'pro_monthly',
          unitAmount: 2_999,
          currency: 'usd',
          currencyOptions: { eur: { unitAmount: 2_799 } },
          interval: 'month',
          taxBehavior: 'exclusive',
        },
        { key: 'pro_setup', unitAmount: 9_900, currency: 'usd', type: 'one_time', features: { seats: { value: 1 } } },
      ],
    },
  ],
  coupons: [
    {
      key: 'spring',
      name: 'Spring sale',
      percentOff: 20,
      duration: 'repeating',
      durationInMonths: 3,
      productKeys: ['pro'],
      promotionCodes: [
        { code: 'OLD10', isActive: false },
        { code: 'SPRING20', maxRedemptions: 100 },
      ],
    },
  ],
  portal: {
    planSwitch: { enabled: true, priceKeys: ['pro_monthly', 'free'] },
    cancellation: { askReason: true, saveOffer: { promotionCode: 'SPRING20' } },
  },
  settings: { entitlementGraceDays: 3 },
};
