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
 * @param proposed the project as the document shows it, with keys for what has none
 */
export function exportCatalog(recorded: RecordedCatalog, proposed = recorded): ExportedCatalog {
  return { catalog: documentOf(proposed), unkeyed: unkeyedOf(recorded, proposed) };
}

function documentOf(recorded: RecordedCatalog): ShownCatalog {
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
  };
}

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

/** Lists what has no key, and the one that is proposed for it. */
function unkeyedOf({ products, prices, coupons }: RecordedCatalog, proposed: RecordedCatalog): Unkeyed[] {
  const keys = new Map([proposed.products, proposed.prices, proposed.coupons].flat().map(it => [it.id, it.item.key]));
  const names = new Map(products.map(({ id, item }) => [id, item.name]));
  const listed = (type: Unkeyed['type'], id: string, key: string | null, name: string): Unkeyed[] => {
    const proposedKey = keys.get(id) ?? undefined;
    return key === null ? [{ type, id, name, ...(proposedKey !== undefined && { proposedKey }) }] : [];
  };
  const priceName = ({ productId, item }: RecordedCatalog['prices'][number]) =>
    `${names.get(productId) ?? productId}: ${item.unitAmount} ${item.currency} ${item.interval ?? 'once'}`;
  return [
    ...products.flatMap(({ id, item }) => listed('product', id, item.key, item.name)),
    ...prices.flatMap(it => listed('price', it.id, it.item.key, priceName(it))),
    ...coupons.flatMap(({ id, item }) => listed('coupon', id, item.key, item.name)),
  ];
}
