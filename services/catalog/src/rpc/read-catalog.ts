import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { IsolationLevel, type EntityManager } from '@mikro-orm/postgresql';
import { fieldsOf } from '@billing/contracts/fields-of';
import type { ProjectScope } from '@billing/contracts/ids';
import { catalogRecords, type CatalogRecords } from '@billing/contracts/rpc/catalog';
import { isMirrored } from '@billing/service/mirrored-rows';
import { Coupon } from '#persistence/coupon.entity.ts';
import { Feature, ProductFeature } from '#persistence/feature.entity.ts';
import { Price } from '#persistence/price.entity.ts';
import { Product } from '#persistence/product.entity.ts';
import { PromotionCode } from '#persistence/promotion-code.entity.ts';

const zip = promisify(gzip);

/** Records of a kind without a key, and promotion codes, that are read at most. */
const MAX_OTHERS = 2_000;
const OLDEST_FIRST = { createdAt: 'asc', id: 'asc' } as const;
const NEWEST = { orderBy: { createdAt: 'desc', id: 'asc' }, limit: MAX_OTHERS } as const;

const { features, products, prices, coupons, promotionCodes } = catalogRecords.shape;

/** Reads all that a document of the catalog can have of a project, at one moment. */
export function readCatalog({ em, now }: { readonly em: EntityManager; readonly now: () => Date }) {
  return async (scope: ProjectScope): Promise<{ readonly text: string }> => {
    const records = await em.fork().transactional(tx => findRecords(tx, scope, now()), {
      isolationLevel: IsolationLevel.REPEATABLE_READ,
      readOnly: true,
    });
    return { text: (await zip(JSON.stringify(records))).toString('base64') };
  };
}

async function findRecords(em: EntityManager, { teamId, projectId }: ProjectScope, now: Date): Promise<CatalogRecords> {
  const scope = { teamId, projectId };
  const live = { ...scope, processorId: { $ne: null }, deletedAt: null };
  const [keyed, active] = [
    { ...live, key: { $ne: null } },
    { ...live, key: null, isActive: true },
  ];
  const oldestFirst = { orderBy: OLDEST_FIRST };
  const ofProducts = [...(await em.find(Product, keyed, oldestFirst)), ...(await em.find(Product, active, NEWEST))];
  const ofPrices = [...(await em.find(Price, keyed)), ...(await em.find(Price, active, NEWEST))].toSorted(
    (a, b) => a.createdAt.getTime() - b.createdAt.getTime() || (a.id < b.id ? -1 : 1),
  );
  const ofCoupons = [
    ...(await em.find(Coupon, keyed, oldestFirst)),
    ...(await em.find(Coupon, { ...live, key: null }, NEWEST)),
  ].filter(isMirrored);
  const redeemable = { customerId: null, $or: [{ expiresAt: null }, { expiresAt: { $gt: now } }] };
  const couponId = { $in: ofCoupons.map(({ id }) => id) };
  const ofCodes = (await em.find(PromotionCode, { ...live, ...redeemable, couponId }, NEWEST)).toReversed();
  const given = await em.find(ProductFeature, { ...scope, value: { $ne: null } });
  const byOwner = Map.groupBy(given, ({ ownerId }) => ownerId);
  const featuresOf = (id: ProductFeature['ownerId']) =>
    Object.fromEntries(
      (byOwner.get(id) ?? []).flatMap(({ key, value, per }) => (value === null ? [] : [[key, { value, per }]])),
    );
  return {
    features: (await em.find(Feature, scope, oldestFirst)).map(row => fieldsOf(features.element, row)),
    products: ofProducts.map(row => fieldsOf(products.element, row, { features: featuresOf(row.id) })),
    prices: ofPrices.flatMap(row => {
      const { unitAmount, billingScheme } = row;
      // Of a metered price its meter must be known.
      const isNamed = row.metered === (row.meter !== null);
      const options = Object.entries(row.currencyOptions).flatMap(([currency, option]) =>
        option.unitAmount === null ? [] : [[currency, { unitAmount: option.unitAmount }] as const],
      );
      const isWhole = options.length === Object.keys(row.currencyOptions).length;
      if (unitAmount === null || billingScheme !== 'per_unit' || !isNamed || !isWhole) return [];
      const terms = { unitAmount, currencyOptions: Object.fromEntries(options), features: featuresOf(row.id) };
      return [fieldsOf(prices.element, row, terms)];
    }),
    coupons: ofCoupons.map(row =>
      fieldsOf(coupons.element, row, {
        redeemBy: row.redeemBy?.toISOString() ?? null,
        productIds: row.productIds && [...row.productIds],
      }),
    ),
    promotionCodes: ofCodes.map(row =>
      fieldsOf(promotionCodes.element, row, { expiresAt: row.expiresAt?.toISOString() ?? null }),
    ),
  };
}
