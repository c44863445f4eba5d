import type {
  CatalogCode,
  CatalogCoupon,
  CatalogDocument,
  CatalogFeature,
  CatalogPrice,
  CatalogProduct,
} from '@billing/contracts/resources/catalog-document';
import { DEFAULT_PORTAL_CONFIG, type PortalConfig } from '@billing/contracts/resources/portal-config';
import { DEFAULT_GRACE_DAYS } from '@billing/contracts/resources/team';
import type { CatalogRecords } from '@billing/contracts/rpc/catalog';
import { newestByKey } from './keys.rules.ts';

/*
 * An item of a catalog with all of its fields, whether a document or the records of a project have it. The fields stand in the
 * order in which a document shows them; those that have their default are left out there.
 */

type Whole<Item> = { readonly [Field in keyof Item]-?: Exclude<Item[Field], undefined> };

type Given = Readonly<
  Record<string, { readonly value: boolean | number | string; readonly per: 'subscription' | 'quantity' }>
>;
export type FeatureItem = Whole<CatalogFeature>;
export type ProductItem = Whole<Omit<CatalogProduct, 'prices' | 'features'>> & { readonly features: Given };
export type PriceItem = Whole<Omit<CatalogPrice, 'features'>> & {
  readonly productKey: string;
  readonly features: Given;
};
export type CouponItem = Whole<Omit<CatalogCoupon, 'promotionCodes'>>;
export type CodeItem = Whole<CatalogCode> & { readonly couponKey: string };
/** As the portal's configuration, with keys and the text of the code in place of ids. */
export type PortalItem = Omit<PortalConfig, 'planSwitch' | 'cancellation'> & {
  readonly planSwitch: Omit<PortalConfig['planSwitch'], 'priceIds'> & { readonly priceKeys: readonly string[] };
  readonly cancellation: { readonly askReason: boolean; readonly saveOffer: { readonly promotionCode: string } | null };
};
export interface SettingsItem {
  readonly entitlementGraceDays: number;
}

/** The items of a catalog; a section that a document leaves out is absent. */
export interface CatalogItems {
  readonly features?: readonly FeatureItem[];
  readonly products?: readonly ProductItem[];
  readonly prices?: readonly PriceItem[];
  readonly coupons?: readonly CouponItem[];
  readonly codes?: readonly CodeItem[];
  readonly portal?: PortalItem;
  readonly settings?: SettingsItem;
}

const PRODUCT_DEFAULTS = {
  description: null,
  unitLabel: null,
  taxCode: null,
  metadata: {},
  isActive: true,
  features: {},
};
const PRICE_DEFAULTS = {
  currencyOptions: {},
  type: 'recurring',
  interval: null,
  intervalCount: null,
  meter: null,
  taxBehavior: 'unspecified',
  metadata: {},
  isActive: true,
  features: {},
} as const;
const COUPON_DEFAULTS = {
  percentOff: null,
  amountOff: null,
  currency: null,
  currencyOptions: {},
  durationInMonths: null,
  productKeys: null,
  maxRedemptions: null,
  redeemBy: null,
};
const CODE_DEFAULTS = {
  isActive: true,
  maxRedemptions: null,
  expiresAt: null,
  firstTimeOnly: false,
  minimumAmount: null,
  currency: null,
  currencyOptions: {},
};
const { planSwitch, cancellation, ...OTHERS } = DEFAULT_PORTAL_CONFIG;
const { priceIds: _none, ...SWITCHING } = planSwitch;
const PORTAL_DEFAULTS: PortalItem = {
  planSwitch: { ...SWITCHING, priceKeys: [] },
  cancellation: { askReason: cancellation.askReason, saveOffer: null },
  ...OTHERS,
};
const SETTINGS_DEFAULTS: SettingsItem = { entitlementGraceDays: DEFAULT_GRACE_DAYS };

const giving = (features: CatalogProduct['features'] = {}): Given =>
  Object.fromEntries(Object.entries(features).map(([key, { value, per = 'subscription' }]) => [key, { value, per }]));

/** The whole second, as the processor has an end. */
const toSecond = (time: string | null | undefined): string | null =>
  time ? `${new Date(time).toISOString().slice(0, 19)}.000Z` : null;

/** Returns the items of a document, with the defaults of what it leaves out. */
export function itemsOf({ features, products, coupons, portal, settings }: CatalogDocument): CatalogItems {
  return {
    ...(features && {
      features: features.map(it => ({
        values: null,
        isActive: true,
        ...it,
        merge: it.merge ?? (it.type === 'limit' ? 'max' : null),
      })),
    }),
    ...(products && {
      products: products.map(({ prices: _prices, features: given, ...it }) => ({
        ...PRODUCT_DEFAULTS,
        ...it,
        features: giving(given),
      })),
      prices: products.flatMap(({ key: productKey, prices = [] }) =>
        prices.map(({ features: given, ...it }): PriceItem => {
          const whole = { ...PRICE_DEFAULTS, ...it, productKey, features: giving(given) };
          return { ...whole, intervalCount: whole.interval === null ? null : (whole.intervalCount ?? 1) };
        }),
      ),
    }),
    ...(coupons && {
      coupons: coupons.map(({ promotionCodes: _codes, ...it }) => ({
        ...COUPON_DEFAULTS,
        ...it,
        productKeys: it.productKeys?.toSorted() ?? null,
        redeemBy: toSecond(it.redeemBy),
      })),
      codes: coupons.flatMap(({ key: couponKey, promotionCodes = [] }) =>
        promotionCodes.map(it => ({ ...CODE_DEFAULTS, ...it, couponKey, expiresAt: toSecond(it.expiresAt) })),
      ),
    }),
    ...(portal && { portal: merged(PORTAL_DEFAULTS, portal) }),
    ...(settings && { settings: { ...SETTINGS_DEFAULTS, ...settings } }),
  };
}

/** Returns a document without the promotion codes that nobody can redeem any more: a project is read without them, too. */
export function withoutExpired({ codes, ...items }: CatalogItems, now: Date): CatalogItems {
  const isOver = ({ expiresAt }: CodeItem) => expiresAt !== null && new Date(expiresAt) <= now;
  return codes ? { ...items, codes: codes.filter(code => !isOver(code)) } : items;
}

/** Returns a configuration, whose objects of the first level are completed field by field. */
function merged<Config extends object>(defaults: Config, given: object): Config {
  const parts = Object.entries(defaults).map(([name, value]) => {
    const other: unknown = Reflect.get(given, name);
    const isPart = typeof value === 'object' && value !== null && typeof other === 'object' && other !== null;
    return [name, isPart ? { ...value, ...other } : (other ?? value)];
  });
  return Object.fromEntries(parts) as Config; // the same fields
}

/** A record without a key, which an apply may adopt. */
export interface Unkeyed {
  readonly type: 'product' | 'price' | 'coupon';
  readonly id: string;
  readonly name: string;
  readonly proposedKey?: string;
}

/** A keyed or active record as an item; its key is null while it has none. */
export interface RecordedItem<Item> {
  readonly id: string;
  readonly item: Item;
}

/** What a project has. */
export interface RecordedCatalog {
  readonly features: readonly RecordedItem<FeatureItem>[];
  readonly products: readonly RecordedItem<Unnamed<ProductItem>>[];
  /** Of products with and without a key; `productId` says of which. */
  readonly prices: readonly (RecordedItem<Unnamed<Omit<PriceItem, 'productKey'>>> & { readonly productId: string })[];
  readonly coupons: readonly RecordedItem<Unnamed<CouponItem>>[];
  readonly codes: readonly (RecordedItem<Omit<CodeItem, 'couponKey'>> & { readonly couponId: string })[];
  readonly portal: PortalItem;
  readonly settings: SettingsItem;
}

/** An item whose key may be missing. */
export type Unnamed<Item> = Omit<Item, 'key'> & { readonly key: string | null };

/** Returns the records of a project as items. */
export function recorded(records: CatalogRecords, portal: PortalConfig, settings: SettingsItem): RecordedCatalog {
  const keyOfProduct = new Map(records.products.map(({ id, key }) => [id, key]));
  const prices = records.prices.map(({ id, productId, ...item }) => ({ id, productId, item }));
  // An older price is not what its key means.
  const keyOfPrice = new Map(newestByKey(prices).map(({ id, item }) => [id, item.key]));
  const { planSwitch: switching, cancellation: canceling, ...others } = portal;
  const { priceIds, ...plans } = switching;
  const offered = records.promotionCodes.find(({ id }) => id === canceling.saveOffer?.promotionCodeId);
  return {
    features: records.features.map(({ id, ...item }) => ({
      id,
      item: { ...item, values: item.values && [...item.values] },
    })),
    products: records.products.map(({ id, ...item }) => ({ id, item })),
    prices,
    coupons: records.coupons.map(({ id, productIds, name, ...item }) => ({
      id,
      item: {
        ...item,
        name: name ?? '',
        productKeys: productIds?.map(product => keyOfProduct.get(product) ?? product).toSorted() ?? null,
      },
    })),
    codes: records.promotionCodes.map(({ id, couponId, ...item }) => ({ id, couponId, item })),
    portal: {
      planSwitch: { ...plans, priceKeys: priceIds.flatMap(id => keyOfPrice.get(id) ?? []) },
      cancellation: { askReason: canceling.askReason, saveOffer: offered ? { promotionCode: offered.code } : null },
      ...others,
    },
    settings,
  };
}

export const DEFAULTS = {
  feature: { values: null, isActive: true },
  product: PRODUCT_DEFAULTS,
  price: PRICE_DEFAULTS,
  coupon: COUPON_DEFAULTS,
  promotion_code: CODE_DEFAULTS,
  portal: PORTAL_DEFAULTS,
  settings: SETTINGS_DEFAULTS,
} as const;
