import {
  catalogDocument,
  type CatalogDocument,
  type CatalogFeature,
  type CatalogProduct,
} from '@billing/contracts/resources/catalog-document';
import fc from 'fast-check';

/** A document with all of its sections. */
export type WholeDocument = Required<CatalogDocument>;
type Coupon = WholeDocument['coupons'][number];
type Portal = WholeDocument['portal'];

/** What never changes of a feature stands by its key, so that any document can follow any other. */
const FEATURES = {
  api: { type: 'boolean' },
  seats: { type: 'limit', merge: 'sum' },
  storage: { type: 'limit' },
  support: { type: 'value', values: ['basic', 'priority'] },
} satisfies Record<string, Pick<CatalogFeature, 'type' | 'values' | 'merge'>>;
type FeatureName = keyof typeof FEATURES;

const VALUES = {
  api: fc.boolean(),
  seats: fc.constantFrom<number | string>(1, 5, 'unlimited'),
  storage: fc.constantFrom<number | string>(10, 'unlimited'),
  support: fc.constantFrom('basic', 'priority'),
} as const satisfies Record<FeatureName, fc.Arbitrary<boolean | number | string>>;

/** Few, so that two items may have the same. */
const names = fc.constantFrom('Free', 'Pro', 'Team');
const metadata = fc.dictionary(fc.constantFrom('tier', 'color'), fc.constantFrom('a', 'b'));
const isActive = fc.boolean();

const featureOf = (key: FeatureName): fc.Arbitrary<CatalogFeature> =>
  fc
    .record({ name: names, isActive }, { requiredKeys: ['name'] })
    .map(varied => ({ key, ...FEATURES[key], ...varied }));

const givenOf = (keys: readonly FeatureName[]) =>
  fc
    .subarray([...keys])
    .chain(chosen =>
      fc.record(
        Object.fromEntries(
          chosen.map(key => [
            key,
            fc.record(
              { value: VALUES[key], per: fc.constantFrom('subscription' as const, 'quantity' as const) },
              { requiredKeys: ['value'] },
            ),
          ]),
        ),
      ),
    );

const terms = fc.oneof(
  fc.record({
    interval: fc.constantFrom('month' as const, 'year' as const),
    intervalCount: fc.constantFrom(1, 2, null),
  }),
  fc.record({
    interval: fc.constantFrom('month' as const),
    meter: fc.constantFrom('api_calls', 'storage', null),
  }),
  fc.constant({ type: 'one_time' as const }),
);

function productOf(key: string, features: readonly FeatureName[]): fc.Arbitrary<CatalogProduct> {
  const given = givenOf(features);
  const price = (priceKey: string) =>
    fc
      .record(
        {
          unitAmount: fc.constantFrom(0, 1_000, 2_000),
          currency: fc.constantFrom('usd', 'eur'),
          currencyOptions: fc.dictionary(
            fc.constantFrom('gbp', 'jpy'),
            fc.record({ unitAmount: fc.constantFrom(1, 2) }),
          ),
          taxBehavior: fc.constantFrom('unspecified' as const, 'exclusive' as const),
          metadata,
          isActive,
          features: given,
        },
        { requiredKeys: ['unitAmount', 'currency'] },
      )
      .chain(varied => terms.map(period => ({ key: priceKey, ...varied, ...period })));
  const prices = fc
    .shuffledSubarray(['a', 'b', 'c'])
    .chain(chosen => fc.tuple(...chosen.map(it => price(`${key}_${it}`))));
  return fc
    .record(
      {
        name: names,
        description: fc.constantFrom('Everything', null),
        unitLabel: fc.constantFrom('seat', null),
        taxCode: fc.constantFrom('txcd_10103001', null),
        metadata,
        isActive,
        features: given,
        prices,
      },
      { requiredKeys: ['name'] },
    )
    .map(varied => ({ key, ...varied }));
}

/** The terms of a coupon stand by its key, too. */
const COUPONS = {
  spring: { percentOff: 20, duration: 'forever' },
  summer: { amountOff: 500, currency: 'usd', duration: 'repeating', durationInMonths: 3 },
  winter: { percentOff: 12.5, duration: 'once', redeemBy: '2030-01-01T00:00:00Z' },
} as const satisfies Record<string, Partial<Coupon>>;

const CODES = {
  EARLY: {},
  late10: { maxRedemptions: 10, firstTimeOnly: true },
  More: { minimumAmount: 1_000, currency: 'usd', expiresAt: '2030-01-01T00:00:00.123Z' },
} as const;
type CodeText = keyof typeof CODES;

/** Coupons, whose codes may have moved from one to another. */
const couponLists: fc.Arbitrary<Coupon[]> = fc.shuffledSubarray(['spring', 'summer', 'winter'] as const).chain(keys => {
  const owner = fc.constantFrom(...keys, null);
  const place = fc.record({ owner, isActive: fc.constantFrom(true, false, undefined) });
  return fc.record({ EARLY: place, late10: place, More: place }).map(places =>
    keys.map((key): Coupon => {
      const texts = (Object.keys(CODES) as CodeText[]).filter(text => places[text].owner === key);
      const promotionCodes = texts.map(code => {
        const { isActive: shown } = places[code];
        return { code, ...CODES[code], ...(shown !== undefined && { isActive: shown }) };
      });
      return { key, name: key, ...COUPONS[key], ...(promotionCodes.length > 0 && { promotionCodes }) };
    }),
  );
});

function portalOf(products: readonly CatalogProduct[], coupons: readonly Coupon[]): fc.Arbitrary<Portal> {
  const keys = products.flatMap(({ prices = [] }) => prices.filter(it => it.type !== 'one_time').map(({ key }) => key));
  const codes = coupons.flatMap(({ promotionCodes = [] }) =>
    promotionCodes.map(({ code }) => ({ promotionCode: code })),
  );
  return fc.record(
    {
      planSwitch: fc.record({ enabled: fc.boolean(), priceKeys: fc.shuffledSubarray(keys) }, { requiredKeys: [] }),
      quantity: fc.record({ enabled: fc.boolean(), max: fc.constantFrom(10, 20) }, { requiredKeys: [] }),
      cancellation: fc.record(
        { askReason: fc.boolean(), saveOffer: fc.constantFrom(null, ...codes) },
        { requiredKeys: [] },
      ),
      pause: fc.record({ enabled: fc.boolean(), maxDays: fc.constantFrom(30, null) }, { requiredKeys: [] }),
      defaultLanguage: fc.constantFrom('en' as const, 'de' as const),
      brand: fc.record({ name: fc.constantFrom('Acme', null) }, { requiredKeys: [] }),
    },
    { requiredKeys: [] },
  );
}

/** Documents that any project can become equal to, whichever of them it was equal to before. */
export const documents: fc.Arbitrary<WholeDocument> = fc
  .shuffledSubarray(Object.keys(FEATURES) as FeatureName[])
  .chain(keys =>
    fc.record({
      features: fc.tuple(...keys.map(featureOf)),
      products: fc
        .shuffledSubarray(['free', 'pro', 'team'])
        .chain(chosen => fc.tuple(...chosen.map(key => productOf(key, keys)))),
      coupons: couponLists,
    }),
  )
  .chain(({ features, products, coupons: chosen }) =>
    portalOf(products, chosen).chain(portal =>
      fc.record({ entitlementGraceDays: fc.constantFrom(0, 3, 7) }, { requiredKeys: [] }).map(settings => {
        const document: WholeDocument = { version: 1, features, products, coupons: chosen, portal, settings };
        // As the API reads it; all of its sections are there.
        return catalogDocument.parse(document) as WholeDocument;
      }),
    ),
  );

/** The same document with everything in another order. */
export const reordered = ({ features, products, coupons: chosen, ...others }: WholeDocument): WholeDocument => ({
  ...others,
  features: features.toReversed(),
  products: products
    .toReversed()
    .map(({ prices, ...it }) => ({ ...it, ...(prices && { prices: prices.toReversed() }) })),
  coupons: chosen.toReversed().map(({ promotionCodes, ...it }) => ({
    ...it,
    ...(promotionCodes && { promotionCodes: promotionCodes.toReversed() }),
  })),
});
