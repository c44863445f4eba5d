import { z } from 'zod';
import { auditContext } from '../resources/audit-entry.ts';
import { CouponId, FeatureId, PriceId, ProductId, ProjectId, PromotionCodeId, TeamId } from '../ids.ts';
import { COUPON_DURATIONS } from '../resources/discount.ts';
import { FEATURE_TYPES, featureValue } from '../resources/feature.ts';
import { portalConfig } from '../resources/portal-config.ts';
import { INTERVALS, PRICE_TYPES, TAX_BEHAVIORS } from '../resources/price.ts';
import { defineRpc } from '../rpc.ts';

const scope = { teamId: TeamId.schema, projectId: ProjectId.schema };
/** Of a write that is part of an apply: the same operation key has the same effect. */
const write = { ...scope, operationKey: z.string(), audit: auditContext };

const key = z.string().nullable();
const amounts = z.record(z.string(), z.int());
const storedMetadata = z.record(z.string(), z.string());
const given = z.record(z.string(), z.object({ value: featureValue, per: z.enum(['subscription', 'quantity']) }));

const feature = z.object({
  id: FeatureId.schema,
  key: z.string(),
  name: z.string(),
  type: z.enum(FEATURE_TYPES),
  values: z.array(z.string()).readonly().nullable(),
  merge: z.enum(['max', 'sum']).nullable(),
  isActive: z.boolean(),
});

const productContent = {
  key,
  name: z.string(),
  description: z.string().nullable(),
  unitLabel: z.string().nullable(),
  taxCode: z.string().nullable(),
  metadata: storedMetadata,
  isActive: z.boolean(),
};

const priceTerms = {
  unitAmount: z.int(),
  currency: z.string(),
  currencyOptions: z.record(z.string(), z.object({ unitAmount: z.int() })),
  type: z.enum(PRICE_TYPES),
  interval: z.enum(INTERVALS).nullable(),
  intervalCount: z.int().nullable(),
  /** Null from and to earlier versions. */
  meter: z.string().nullable().default(null),
};
const priceContent = { key, taxBehavior: z.enum(TAX_BEHAVIORS), metadata: storedMetadata, isActive: z.boolean() };

const couponTerms = {
  name: z.string().nullable(),
  percentOff: z.number().nullable(),
  amountOff: z.int().nullable(),
  currency: z.string().nullable(),
  currencyOptions: amounts,
  duration: z.enum(COUPON_DURATIONS),
  durationInMonths: z.int().nullable(),
  maxRedemptions: z.int().nullable(),
  /** ISO 8601, whole seconds. */
  redeemBy: z.string().nullable(),
};

const codeTerms = {
  code: z.string(),
  maxRedemptions: z.int().nullable(),
  /** ISO 8601, whole seconds. */
  expiresAt: z.string().nullable(),
  firstTimeOnly: z.boolean(),
  minimumAmount: z.int().nullable(),
  currency: z.string().nullable(),
  currencyOptions: amounts,
};

/** What a document of the catalog can have of a project, with our ids. */
export const catalogRecords = z.object({
  features: z.array(feature),
  products: z.array(z.object({ id: ProductId.schema, ...productContent, features: given })),
  /** Those with one whole amount; in the order of their creation. */
  prices: z.array(
    z.object({
      id: PriceId.schema,
      productId: ProductId.schema,
      ...priceTerms,
      ...priceContent,
      features: given,
    }),
  ),
  coupons: z.array(
    z.object({ id: CouponId.schema, key, ...couponTerms, productIds: z.array(ProductId.schema).nullable() }),
  ),
  /** Those that anybody can redeem, and whose end has not come; in the order of their creation. */
  promotionCodes: z.array(
    z.object({ id: PromotionCodeId.schema, couponId: CouponId.schema, isActive: z.boolean(), ...codeTerms }),
  ),
});
export type CatalogRecords = z.output<typeof catalogRecords>;

/**
 * What a project sells: all that has a key, archived too, and what is active without one, at most 2,000 of a kind. As
 * {@link catalogRecords} in gzipped JSON, base64-encoded.
 */
export const ReadCatalog = defineRpc('catalog', 'read-catalog', z.object(scope), z.object({ text: z.string() }));

/** How many subscriptions that have not ended have each price; prices without any are left out. */
export const CountSubscriptionsOfPrices = defineRpc(
  'subscriptions',
  'count-subscriptions-of-prices',
  z.object({ ...scope, priceIds: z.array(PriceId.schema) }),
  z.record(z.string(), z.int()),
);

/** One write of an apply. Products and prices are named by their keys where the apply may have created them. */
export const catalogWrite = z.discriminatedUnion('write', [
  z.object({ write: z.literal('create-feature'), ...feature.omit({ id: true }).shape }),
  z.object({
    write: z.literal('update-feature'),
    key: z.string(),
    name: z.string().optional(),
    isActive: z.boolean().optional(),
  }),
  z.object({ write: z.literal('create-product'), ...productContent, key: z.string() }),
  z.object({
    write: z.literal('update-product'),
    productId: ProductId.schema,
    changes: z.object(productContent).extend({ key: z.string() }).partial(),
  }),
  z.object({
    write: z.literal('create-price'),
    productKey: z.string(),
    ...priceTerms,
    ...priceContent,
    key: z.string(),
    /** The price whose key it takes over; it is archived once the new one exists. */
    replaces: PriceId.schema.nullable(),
  }),
  z.object({
    write: z.literal('update-price'),
    priceId: PriceId.schema,
    changes: z.object({ ...priceContent, key: z.string(), currencyOptions: priceTerms.currencyOptions }).partial(),
  }),
  /** Gives exactly these features, and none else. */
  z.object({
    write: z.literal('give-features'),
    owner: z.enum(['product', 'price']),
    key: z.string(),
    features: given,
  }),
  z.object({
    write: z.literal('create-coupon'),
    ...couponTerms,
    name: z.string(),
    key: z.string(),
    productKeys: z.array(z.string()).nullable(),
  }),
  z.object({ write: z.literal('set-coupon-key'), couponId: CouponId.schema, key: z.string() }),
  z.object({ write: z.literal('create-code'), couponKey: z.string(), isActive: z.boolean(), ...codeTerms }),
  z.object({ write: z.literal('update-code'), promotionCodeId: PromotionCodeId.schema, isActive: z.boolean() }),
]);
export type CatalogWrite = z.output<typeof catalogWrite>;

/**
 * Makes one write of an apply, at the processor and in the catalog: the id of what was created or changed, or why the processor or
 * a rule refused it.
 * @throws Problem `unavailable` when the processor does not respond
 */
export const WriteCatalog = defineRpc(
  'catalog',
  'write-catalog',
  z.object({ ...write, change: catalogWrite }),
  z.object({ id: z.string().nullable(), refused: z.object({ code: z.string(), message: z.string() }).nullable() }),
);

/** What the portal of a project offers. */
export const FindPortalConfig = defineRpc('portal', 'find-portal-config', z.object(scope), portalConfig);

/**
 * Sets what the portal of a project offers, as the API does.
 * @throws Problem what the operation of the API throws
 */
export const SetPortalConfig = defineRpc(
  'portal',
  'set-portal-config',
  z.object({ ...write, portalConfig }),
  z.object({}),
);

/** Sets for how many days a past due subscription goes on giving its features. */
export const SetGraceDays = defineRpc(
  'gateway',
  'set-grace-days',
  z.object({ ...write, entitlementGraceDays: z.int().min(0).max(60) }),
  z.object({}),
);
