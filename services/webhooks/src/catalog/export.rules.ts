import type { ShownCatalog } from '@billing/contracts/resources/catalog-document';
import { isDeepStrictEqual } from 'node:util';
import { DEFAULTS, type RecordedCatalog, type Unkeyed } from './items.rules.ts';
import { newestByKey, newestByText } from './keys.rules.ts';

/** The document of a project's catalog, and what it lacks because it has no key. */
export interface ExportedCatalog {
  readonly catalog: ShownCatalog;
  readonly unkeyed: Unkeyed[];
}

type Shown = ShownCatalog['products'][number];

/**
 * Returns what a project sells as a document. It is canonical: items in the order of their keys, fields in one order, defaults
 * left out. So equal catalogs are equal bytes.
 */
export function exportCatalog(recorded: RecordedCatalog): ExportedCatalog {
  const products = newestByKey(recorded.products);
  const coupons = newestByKey(recorded.coupons);
  const pricesOf = (productId: string) =>
    shownByKey(
      'price',
      newestByKey(recorded.prices).filter(it => it.productId === productId),
    );
  const couponIds = new Set(coupons.map(({ id }) => id));
  // Coupons may have had the same code one after the other.
  const codes = newestByText(recorded.codes.filter(it => couponIds.has(it.couponId)));
  const codesOf = (couponId: string) =>
    codes
      .filter(it => it.couponId === couponId)
      .map(({ item }) => lean('promotion_code', item))
      .toSorted(by(({ code }) => String(code)));
  return {
    catalog: {
      version: 1,
      features: shownByKey('feature', recorded.features),
      products: products
        .map(({ id, item }) => withSome({ key: item.key, ...lean('product', item) }, 'prices', pricesOf(id)))
        .toSorted(by(({ key }) => key)),
      coupons: coupons
        .map(({ id, item }) => withSome({ key: item.key, ...lean('coupon', item) }, 'promotionCodes', codesOf(id)))
        .toSorted(by(({ key }) => key)),
      portal: leanParts('portal', recorded.portal),
      settings: leanParts('settings', recorded.settings),
    },
    unkeyed: [
      ...unkeyedOf('product', recorded.products),
      ...unkeyedPrices(recorded),
      ...unkeyedOf('coupon', recorded.coupons),
    ],
  };
}

/** Returns a document as text: what is stored in a repository, and what its ETag is made of. */
export const textOf = ({ catalog }: Pick<ExportedCatalog, 'catalog'>): string =>
  `${JSON.stringify(catalog, null, 2)}\n`;

const by =
  <Item>(nameOf: (item: Item) => string) =>
  (one: Item, other: Item): number =>
    nameOf(one) < nameOf(other) ? -1 : 1;

const shownByKey = (
  type: 'feature' | 'price',
  items: readonly { readonly item: { readonly key: string } }[],
): Shown[] => items.map(({ item }) => ({ key: item.key, ...lean(type, item) })).toSorted(by(({ key }) => key));

const withSome = (item: Shown, field: string, list: readonly unknown[]): Shown =>
  list.length === 0 ? item : { ...item, [field]: list };

/** Leaves out the fields that have their default, and what a record has besides. */
function lean(type: keyof typeof DEFAULTS, item: object): Readonly<Record<string, unknown>> {
  const defaults: object = DEFAULTS[type];
  const isDefault = (field: string, value: unknown): boolean => {
    if (isDeepStrictEqual(value, Reflect.get(defaults, field))) return true;
    if (type === 'feature' && field === 'merge') return value === null || value === 'max';
    return type === 'price' && field === 'intervalCount' && value === 1;
  };
  const kept = Object.entries(item).filter(([field, value]) => !isDefault(field, value));
  return Object.fromEntries(kept.map(([field, value]) => [field, sorted(field, value)]));
}

/** Leaves out what has its default, also within the objects of the first level. */
function leanParts(type: 'portal' | 'settings', whole: object): Record<string, unknown> {
  const defaults: object = DEFAULTS[type];
  const parts = Object.entries(whole).flatMap(([name, value]): [string, unknown][] => {
    const standard: unknown = Reflect.get(defaults, name);
    if (isDeepStrictEqual(value, standard)) return [];
    if (typeof value !== 'object' || value === null || typeof standard !== 'object' || standard === null)
      return [[name, value]];
    const fields = Object.entries(value).filter(
      ([field, its]) => !isDeepStrictEqual(its, Reflect.get(standard, field)),
    );
    return [[name, Object.fromEntries(fields)]];
  });
  return Object.fromEntries(parts);
}

/** Fields in which the order of the keys says nothing. */
const MAPS = new Set(['metadata', 'features', 'currencyOptions']);

/** Puts the keys of a map in order; of what is given, `per` is left out where it is the default. */
function sorted(field: string, value: unknown): unknown {
  if (!MAPS.has(field) || typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).toSorted(by(([key]) => key));
  if (field !== 'features') return Object.fromEntries(entries);
  return Object.fromEntries(
    entries.map(([key, { value: given, per }]) => [
      key,
      per === 'subscription' ? { value: given } : { value: given, per },
    ]),
  );
}

const unkeyedOf = (
  type: 'product' | 'coupon',
  items: RecordedCatalog['products'] | RecordedCatalog['coupons'],
): Unkeyed[] => items.flatMap(({ id, item: { key, name } }) => (key === null ? [{ type, id, name }] : []));

const unkeyedPrices = ({ products, prices }: RecordedCatalog): Unkeyed[] => {
  const names = new Map(products.map(({ id, item }) => [id, item.name]));
  return prices.flatMap(({ id, productId, item: { key, unitAmount, currency, interval } }) =>
    key === null
      ? [
          {
            type: 'price' as const,
            id,
            name: `${names.get(productId) ?? productId}: ${unitAmount} ${currency} ${interval ?? 'once'}`,
          },
        ]
      : [],
  );
};
