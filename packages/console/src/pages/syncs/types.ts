import type { Sync, SyncFinding } from '@billing/client';
import { formatCount } from '#ui/amount.ts';

/** What a comparison with the account compares. */
const ACCOUNT_TYPE = {
  product: { name: 'Products', one: 'Product' },
  price: { name: 'Prices', one: 'Price' },
  coupon: { name: 'Coupons', one: 'Coupon' },
  customer: { name: 'Customers', one: 'Customer' },
  promotion_code: { name: 'Promotion codes', one: 'Promotion code' },
  subscription: { name: 'Subscriptions', one: 'Subscription' },
  invoice: { name: 'Invoices', one: 'Invoice' },
  payment: { name: 'Payments', one: 'Payment' },
} as const;
/** What a comparison with a document compares. */
const CATALOG_TYPE = {
  feature: { name: 'Features', one: 'Feature' },
  product: ACCOUNT_TYPE.product,
  price: ACCOUNT_TYPE.price,
  coupon: ACCOUNT_TYPE.coupon,
  promotion_code: ACCOUNT_TYPE.promotion_code,
  portal: { name: 'Portal', one: 'Portal' },
  settings: { name: 'Settings', one: 'Settings' },
} as const;

type TypeNames = Readonly<Record<Sync['types'][number], { readonly name: string; readonly one: string }>>;

/** What a sync compares. */
export const SYNC_TYPE: TypeNames = { ...ACCOUNT_TYPE, ...CATALOG_TYPE };

/** Whether a comparison with the account has a type. */
export const isAccountType = (type: Sync['types'][number]): type is keyof typeof ACCOUNT_TYPE =>
  Object.hasOwn(ACCOUNT_TYPE, type);

/** How many types a comparison of the whole account has. */
export const ACCOUNT_TYPES = Object.keys(ACCOUNT_TYPE).length;

/** Whether a finding was taken over by an apply. */
export const TAKEN = { yes: { name: 'Taken over' }, no: { name: 'Not taken over' } } as const;

/** What a sync is called. */
export const syncName = ({ kind, mode, nightly }: Pick<Sync, 'kind' | 'mode' | 'nightly'>): string => {
  if (kind === 'catalog') return mode === 'apply' ? 'Apply of a catalog' : 'Report on a catalog';
  return mode === 'apply' ? 'Apply' : nightly ? 'Nightly report' : 'Report';
};

/** A number of objects of a type: `3 customers`. */
export function countOf(type: SyncFinding['type'], count: number): string {
  const { name, one } = SYNC_TYPE[type];
  return `${formatCount(count)} ${(count === 1 ? one : name).toLowerCase()}`;
}
