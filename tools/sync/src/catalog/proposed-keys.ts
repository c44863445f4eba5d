import type { ExportedCatalog, Coupon, Price, Product, ProductFeature, PromotionCode } from '@billing/client';

/** What a project sells. */
export interface Records {
  readonly products: readonly Product[];
  readonly prices: readonly Price[];
  readonly coupons: readonly Coupon[];
  readonly promotionCodes: readonly PromotionCode[];
  /** What products and prices give. */
  readonly given: readonly ProductFeature[];
  /** When it was read. */
  readonly readAt: Date;
}

type Unkeyed = ExportedCatalog['unkeyed'][number];
type Item = Readonly<Record<string, unknown>> & { readonly key: string };

interface Proposed {
  /** The document, with what has no key yet under the keys that are proposed. */
  readonly catalog: ExportedCatalog['catalog'];
  readonly proposed: readonly (Unkeyed & { readonly key: string })[];
  /** What is left out: another one has its name or its terms, or it belongs to what is left out. */
  readonly left: readonly Unkeyed[];
}

/** Adds what has no key to a document, under keys made of its names, so that an apply with `adopt` gives it these. */
export function proposeKeys({ catalog, unkeyed }: ExportedCatalog, records: Records): Proposed {
  const proposed: (Unkeyed & { readonly key: string })[] = [];
  const isUnkeyed = ({ id }: { readonly id: string }) => unkeyed.some(one => one.id === id);
  const propose = (record: { readonly id: string }, key: string): string => {
    const one = unkeyed.find(({ id }) => id === record.id);
    if (one) proposed.push({ ...one, key });
    return key;
  };

  const productKeys = keysOf(catalog.products);
  const keyOfProduct = new Map<string, string>(
    records.products.flatMap(({ id, key }) => (key === undefined ? [] : [[id, key]])),
  );
  const added = unambiguous(records.products.filter(isUnkeyed), ({ name }) => name);
  for (const product of added)
    keyOfProduct.set(product.id, propose(product, productKeys.next(slug(product.name) || 'product')));

  const priceKeys = keysOf([
    ...catalog.products.flatMap(pricesIn),
    ...records.prices.flatMap(({ key }) => (key === undefined ? [] : [{ key }])),
  ]);
  const pricesOf = (productId: string, isWanted: (price: Price) => boolean): readonly Item[] => {
    const prices = records.prices.filter(
      price => price.productId === productId && price.unitAmount !== null && isWanted(price),
    );
    const ofProduct = keyOfProduct.get(productId) ?? 'price';
    return unambiguous(prices, price => price.key ?? termsOf(price)).map(price => {
      const key = price.key ?? propose(price, priceKeys.next(`${ofProduct}_${rhythmOf(price)}_${price.currency}`));
      return toPriceItem(price, key, givenBy(records.given, price.id));
    });
  };
  const known = catalog.products.map(item => {
    const id = records.products.find(({ key }) => key === item.key)?.id;
    const more = id === undefined ? [] : pricesOf(id, isUnkeyed);
    return more.length === 0 ? item : { ...item, prices: [...pricesIn(item), ...more].toSorted(byKey) };
  });
  const products = [
    ...known,
    ...added.map(product => ({
      ...toProductItem(product, keyOfProduct.get(product.id) ?? '', givenBy(records.given, product.id)),
      ...lean({ prices: pricesOf(product.id, () => true).toSorted(byKey) }),
    })),
  ];

  const couponKeys = keysOf(catalog.coupons);
  const isInDocument = ({ name, productIds }: Coupon) =>
    name !== null && (productIds ?? []).every(id => keyOfProduct.has(id));
  const coupons = unambiguous(records.coupons.filter(isUnkeyed).filter(isInDocument), ({ name }) => name).map(
    coupon => {
      const key = propose(coupon, couponKeys.next(slug(coupon.name ?? '') || 'coupon'));
      const codes = records.promotionCodes.filter(
        ({ couponId, customerId, expiresAt }) =>
          couponId === coupon.id && customerId === null && !(expiresAt && new Date(expiresAt) <= records.readAt),
      );
      return toCouponItem(coupon, key, { keyOfProduct, codes });
    },
  );
  const keys = new Map(proposed.map(({ id, key }) => [id, key]));
  return {
    catalog: {
      ...catalog,
      products: products.toSorted(byKey),
      coupons: [...catalog.coupons, ...coupons].toSorted(byKey),
    },
    proposed,
    left: unkeyed.filter(({ id }) => !keys.has(id)),
  };
}

/** Names keys that nothing has yet. */
function keysOf(items: readonly { readonly key: string }[]) {
  const taken = new Set(items.map(({ key }) => key));
  return {
    next(wanted: string): string {
      const short = wanted.slice(0, 74);
      let key = short;
      for (let count = 2; taken.has(key); count += 1) key = `${short}_${count}`;
      taken.add(key);
      return key;
    },
  };
}

const pricesIn = (item: Readonly<Record<string, unknown>>): readonly Item[] =>
  Array.isArray(item['prices']) ? (item['prices'] as Item[]) : []; // the contract of the document has this shape

/** A name as a key: `Pro (Team)` is `pro_team`. */
const slug = (name: string): string =>
  name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^a-z0-9]+/g, '_')
    .replaceAll(/^_|_$/g, '');

const RHYTHMS = { day: 'daily', week: 'weekly', month: 'monthly', year: 'yearly' } as const;

function rhythmOf({ interval, intervalCount = 1 }: Price): string {
  if (interval === undefined) return 'once';
  return intervalCount === 1 ? RHYTHMS[interval] : `${intervalCount}_${interval}s`;
}

/** What an apply finds an unkeyed price by. */
const termsOf = ({ unitAmount, currency, currencyOptions, interval, intervalCount, taxBehavior }: Price): string =>
  JSON.stringify([
    unitAmount,
    currency,
    Object.entries(currencyOptions).toSorted(([one], [other]) => (one < other ? -1 : 1)),
    interval,
    intervalCount,
    taxBehavior,
  ]);

/** Leaves out what an apply would confuse with another: of the same name, or of the same terms. */
const unambiguous = <Record>(records: readonly Record[], nameOf: (record: Record) => unknown): readonly Record[] =>
  records.filter(record => records.filter(other => nameOf(other) === nameOf(record)).length === 1);

const byKey = (one: { readonly key: string }, other: { readonly key: string }): number =>
  one.key < other.key ? -1 : 1;

const givenBy = (given: readonly ProductFeature[], id: string) =>
  Object.fromEntries(
    given
      .filter(({ productId, priceId }) => (priceId ?? productId) === id)
      .map(({ key, value, per }) => [key, lean({ value, per })] as const)
      .toSorted(([one], [other]) => (one < other ? -1 : 1)),
  );

const toProductItem = (
  { name, description, unitLabel, taxCode, metadata }: Product,
  key: string,
  features: object,
): Item => ({
  key,
  ...lean({ name, description, unitLabel, taxCode, metadata, features }),
});

const toPriceItem = (price: Price, key: string, features: object): Item => {
  const { unitAmount, currency, currencyOptions, type, interval, intervalCount, taxBehavior, metadata } = price;
  return {
    key,
    unitAmount,
    ...lean({ currency, currencyOptions, type, interval, intervalCount, taxBehavior, metadata, features }),
  };
};

interface OfCoupon {
  readonly keyOfProduct: ReadonlyMap<string, string>;
  readonly codes: readonly PromotionCode[];
}

function toCouponItem(coupon: Coupon, key: string, { keyOfProduct, codes }: OfCoupon): Item {
  const { name, percentOff, amountOff, currency, currencyOptions, duration, durationInMonths, productIds } = coupon;
  const { maxRedemptions, redeemBy } = coupon;
  const productKeys = productIds?.map(id => keyOfProduct.get(id) ?? id).toSorted();
  const terms = { percentOff, amountOff, currency, currencyOptions, duration, durationInMonths, productKeys };
  return { key, name, ...lean({ ...terms, maxRedemptions, redeemBy, promotionCodes: codes.map(toCodeItem) }) };
}

const toCodeItem = (code: PromotionCode) => {
  const { isActive, maxRedemptions, expiresAt, firstTimeOnly, minimumAmount, currency, currencyOptions } = code;
  return {
    code: code.code,
    ...lean({ isActive, maxRedemptions, expiresAt, firstTimeOnly, minimumAmount, currency, currencyOptions }),
  };
};

/** What a document leaves out, because it has it anyway. */
const DEFAULTS: Readonly<Record<string, unknown>> = {
  type: 'recurring',
  intervalCount: 1,
  taxBehavior: 'unspecified',
  isActive: true,
  firstTimeOnly: false,
  per: 'subscription',
};

function lean(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const isSaid = ([field, value]: [string, unknown]) =>
    value !== null &&
    value !== undefined &&
    value !== DEFAULTS[field] &&
    !(typeof value === 'object' && Object.keys(value).length === 0);
  return Object.fromEntries(Object.entries(fields).filter(isSaid));
}
