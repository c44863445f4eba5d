import type { Sync, SyncFinding } from '@billing/client';
import { formatCount } from '#ui/amount.ts';

/** What a sync compares. */
export const SYNC_TYPE: Readonly<Record<Sync['types'][number], { readonly name: string; readonly one: string }>> = {
  product: { name: 'Products', one: 'Product' },
  price: { name: 'Prices', one: 'Price' },
  coupon: { name: 'Coupons', one: 'Coupon' },
  customer: { name: 'Customers', one: 'Customer' },
  promotion_code: { name: 'Promotion codes', one: 'Promotion code' },
  subscription: { name: 'Subscriptions', one: 'Subscription' },
  invoice: { name: 'Invoices', one: 'Invoice' },
  payment: { name: 'Payments', one: 'Payment' },
};

/** Whether a finding was taken over by an apply. */
export const TAKEN = { yes: { name: 'Taken over' }, no: { name: 'Not taken over' } } as const;

/** What a sync is called. */
export const syncName = ({ mode, nightly }: Pick<Sync, 'mode' | 'nightly'>): string =>
  mode === 'apply' ? 'Apply' : nightly ? 'Nightly report' : 'Report';

/** A number of objects of a type: `3 customers`. */
export function countOf(type: SyncFinding['type'], count: number): string {
  const { name, one } = SYNC_TYPE[type];
  return `${formatCount(count)} ${(count === 1 ? one : name).toLowerCase()}`;
}
