import { z } from 'zod';
import { metadata } from '../metadata.ts';
import { currency, MAX_AMOUNT, unitAmount } from '../money.ts';
import { optionalText, text } from '../text.ts';
import { catalogKey } from './catalog-key.ts';
import { COUPON_DURATIONS, maxRedemptions } from './discount.ts';
import { FEATURE_TYPES, featureKey, featureValue } from './feature.ts';
import { DEFAULT_PORTAL_CONFIG, portalConfig } from './portal-config.ts';
import { INTERVALS, MAX_INTERVAL_COUNT, meterName, PRICE_TYPES, TAX_BEHAVIORS } from './price.ts';

const MAX_COUPONS = 500;
const MAX_PRICES = 2_000;
const MAX_CODES = 2_000;

/** One of them has another value than its default. */
const orNull = <Schema extends z.ZodType>(schema: Schema) => schema.nullable().exactOptional();
const amount = z.int().min(1).max(MAX_AMOUNT);
const keyed = <Value extends z.ZodType>(value: Value) => z.record(featureKey, value);

const isActive = z.boolean().exactOptional();
const given = keyed(z.strictObject({ value: featureValue, per: z.enum(['subscription', 'quantity']).exactOptional() }));

const feature = z.strictObject({
  key: featureKey,
  name: text(250),
  type: z.enum(FEATURE_TYPES),
  values: orNull(z.array(text(100)).min(1).max(50)),
  merge: orNull(z.enum(['max', 'sum'])),
  isActive,
});

const price = z.strictObject({
  key: catalogKey,
  unitAmount,
  currency,
  currencyOptions: z.record(currency, z.strictObject({ unitAmount })).exactOptional(),
  type: z.enum(PRICE_TYPES).exactOptional(),
  interval: orNull(z.enum(INTERVALS)),
  intervalCount: orNull(z.int().min(1)),
  meter: orNull(meterName),
  taxBehavior: z.enum(TAX_BEHAVIORS).exactOptional(),
  metadata: metadata.exactOptional(),
  isActive,
  features: given.exactOptional(),
});

const product = z.strictObject({
  key: catalogKey,
  name: text(250),
  description: orNull(optionalText(5_000).min(1)),
  unitLabel: orNull(text(12)),
  taxCode: orNull(
    z
      .string()
      .max(50)
      .regex(/^txcd_\w+$/, 'Expected a tax code, such as txcd_10103001.'),
  ),
  metadata: metadata.exactOptional(),
  isActive,
  features: given.exactOptional(),
  prices: z.array(price).max(MAX_PRICES).exactOptional(),
});

const promotionCode = z.strictObject({
  code: z.string().regex(/^[A-Za-z0-9-]{1,500}$/, 'Expected 1 to 500 letters of a-z, digits and hyphens.'),
  isActive,
  maxRedemptions: orNull(maxRedemptions),
  expiresAt: orNull(z.iso.datetime()),
  firstTimeOnly: z.boolean().exactOptional(),
  minimumAmount: orNull(amount),
  currency: orNull(currency),
  currencyOptions: z.record(currency, amount).exactOptional(),
});

const coupon = z.strictObject({
  key: catalogKey,
  name: text(40),
  percentOff: orNull(z.number().gt(0).max(100).multipleOf(0.01)),
  amountOff: orNull(amount),
  currency: orNull(currency),
  currencyOptions: z.record(currency, amount).exactOptional(),
  duration: z.enum(COUPON_DURATIONS),
  durationInMonths: orNull(z.int().min(1).max(120)),
  productKeys: orNull(z.array(catalogKey).min(1).max(100)),
  maxRedemptions: orNull(maxRedemptions),
  redeemBy: orNull(z.iso.datetime()),
  promotionCodes: z.array(promotionCode).max(MAX_CODES).exactOptional(),
});

const { planSwitch, quantity, cancellation, pause, billingDetails, defaultLanguage, brand } = portalConfig.shape;
const { priceIds: _ids, ...switching } = planSwitch.shape;
/** What is left out of a part has its default. */
const part = <Shape extends z.ZodRawShape>(shape: Shape) => z.strictObject(shape).partial().exactOptional();
const portal = z.strictObject({
  planSwitch: part({
    ...switching,
    priceKeys: z
      .array(catalogKey)
      .max(50)
      .refine(all => new Set(all).size === all.length, 'Contains a price twice.'),
  }),
  quantity: part(quantity.shape),
  cancellation: part({
    askReason: cancellation.shape.askReason,
    saveOffer: z.strictObject({ promotionCode: promotionCode.shape.code }).nullable(),
  }),
  pause: part(pause.shape),
  billingDetails: part(billingDetails.shape),
  defaultLanguage: defaultLanguage.exactOptional(),
  brand: part(brand.shape),
});

/** A section that a document leaves out is left alone. */
const SECTIONS = {
  version: 'Of the form of the document.',
  features: 'What products can give.',
  products: 'What is sold, with its prices and what both give.',
  coupons: 'Price reductions, with the codes that redeem them.',
  portal: 'What the portal offers, as `portal-config` has it, with keys and the text of a code in place of ids.',
  settings: 'Settings of the project that belong to what is sold.',
} as const;

const EXAMPLE = {
  version: 1,
  features: [{ key: 'seats', name: 'Seats', type: 'limit' }],
  products: [
    {
      key: 'pro',
      name: 'Pro',
      features: { seats: { value: 5 } },
      prices: [{ key: 'pro_monthly', unitAmount: 2999, currency: 'usd', interval: 'month' }],
    },
  ],
};

/** All that a project sells, without ids: what is left out of an item has its default. */
export const catalogDocument = z
  .strictObject({
    version: z.literal(1).describe(SECTIONS.version),
    features: z.array(feature).max(200).exactOptional().describe(SECTIONS.features),
    products: z.array(product).max(500).exactOptional().describe(SECTIONS.products),
    coupons: z.array(coupon).max(MAX_COUPONS).exactOptional().describe(SECTIONS.coupons),
    portal: portal.exactOptional().describe(SECTIONS.portal),
    settings: z
      .strictObject({ entitlementGraceDays: z.int().min(0).max(60).exactOptional() })
      .exactOptional()
      .describe(SECTIONS.settings),
  })
  .superRefine((document, context) => {
    const reject = (path: readonly PropertyKey[], message: string) =>
      context.addIssue({ code: 'custom', path: [...path], message });
    const { features = [], products = [], coupons = [] } = document;
    const unique = (kind: string) => {
      const seen = new Set<string>();
      return (key: string, path: readonly PropertyKey[]) => {
        if (seen.has(key)) reject(path, `Another ${kind} has it.`);
        seen.add(key);
      };
    };
    const [ofFeature, ofProduct, ofPrice, ofCoupon, ofCode] = (
      ['feature', 'product', 'price', 'coupon', 'promotion code'] as const
    ).map(unique);
    features.forEach((it, index) => {
      ofFeature?.(it.key, ['features', index, 'key']);
      if ((it.type === 'value') !== Boolean(it.values))
        reject(['features', index, 'values'], 'Expected for the type `value`, and for no other.');
      if (it.merge && it.type !== 'limit') reject(['features', index, 'merge'], 'Only for the type `limit`.');
    });
    products.forEach(({ key, prices = [] }, index) => {
      ofProduct?.(key, ['products', index, 'key']);
      prices.forEach((it, at) => {
        const path = ['products', index, 'prices', at];
        ofPrice?.(it.key, [...path, 'key']);
        const { type = 'recurring', interval, intervalCount } = it;
        if ((type === 'recurring') !== Boolean(interval))
          reject([...path, 'interval'], 'Expected for a recurring price, and for no other.');
        if (intervalCount && !(interval && intervalCount <= MAX_INTERVAL_COUNT[interval]))
          reject([...path, 'intervalCount'], 'Expected for a recurring price; no period is longer than three years.');
        if (it.meter && type === 'one_time') reject([...path, 'meter'], 'Only for a recurring price.');
        if (it.currencyOptions && it.currency in it.currencyOptions)
          reject([...path, 'currencyOptions'], 'Expected other currencies than that of the price.');
      });
    });
    coupons.forEach(({ promotionCodes = [], ...it }, index) => {
      const path = ['coupons', index];
      ofCoupon?.(it.key, [...path, 'key']);
      if (Boolean(it.percentOff) === Boolean(it.amountOff))
        reject([...path, 'percentOff'], 'Expected either `percentOff` or `amountOff`.');
      if (Boolean(it.amountOff) !== Boolean(it.currency))
        reject([...path, 'currency'], 'Expected with `amountOff`, and only then.');
      if ((it.duration === 'repeating') !== Boolean(it.durationInMonths))
        reject([...path, 'durationInMonths'], 'Expected for the duration `repeating`, and for no other.');
      promotionCodes.forEach((code, at) => {
        ofCode?.(code.code.toLowerCase(), [...path, 'promotionCodes', at, 'code']);
        if (Boolean(code.minimumAmount) !== Boolean(code.currency))
          reject([...path, 'promotionCodes', at, 'currency'], 'Expected with `minimumAmount`, and only then.');
      });
    });
    const { quantity: offered } = DEFAULT_PORTAL_CONFIG;
    const { min = offered.min, max = offered.max } = document.portal?.quantity ?? {};
    if (min > max) reject(['portal', 'quantity', 'max'], 'Expected at least `min`.');
    const sum = products.reduce((count, { prices = [] }) => count + prices.length, 0);
    if (sum > MAX_PRICES) reject(['products'], `Expected at most ${MAX_PRICES} prices.`);
  })
  .meta({
    id: 'CatalogDocument',
    description: 'All that a project sells, without ids: a file that you keep in your repository.',
    example: EXAMPLE,
  });
export type CatalogDocument = z.output<typeof catalogDocument>;
export type CatalogFeature = z.output<typeof feature>;
export type CatalogProduct = z.output<typeof product>;
export type CatalogPrice = z.output<typeof price>;
export type CatalogCoupon = z.output<typeof coupon>;
export type CatalogCode = z.output<typeof promotionCode>;

const shownItem = z.looseObject({ key: z.string() });

/** A catalog as it is: what was stored under earlier rules is shown all the same. */
export const shownCatalog = z
  .object({
    version: z.literal(1).describe(SECTIONS.version),
    features: z.array(shownItem).describe(SECTIONS.features),
    products: z.array(shownItem).describe(SECTIONS.products),
    coupons: z.array(shownItem).describe(SECTIONS.coupons),
    portal: z.looseObject({}).describe(SECTIONS.portal),
    settings: z.looseObject({}).describe(SECTIONS.settings),
  })
  .meta({
    id: 'Catalog',
    description: 'All that a project sells, as a document that `apply` takes.',
    example: { ...EXAMPLE, coupons: [], portal: {}, settings: {} },
  });
export type ShownCatalog = z.output<typeof shownCatalog>;
