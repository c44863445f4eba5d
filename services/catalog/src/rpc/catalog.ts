import type { EntityManager } from '@mikro-orm/postgresql';
import { rpcHandler, type RpcHandler } from '@billing/service/definition';
import type { PriceState, ProductState } from '@billing/contracts/events/catalog';
import type { PriceId, ProjectScope } from '@billing/contracts/ids';
import {
  FindFeature,
  FindPriceByProcessorId,
  FindPrices,
  FindPricesByKey,
  FindProducts,
  FindPromotionCode,
  FindStoredPromotionCode,
} from '@billing/contracts/rpc/calls';
import { CountMirrored } from '@billing/contracts/rpc/accounts';
import { countMirrored } from '@billing/processor/operation-log/account-fence';
import { ReadCatalog, WriteCatalog } from '@billing/contracts/rpc/catalog';
import { CompareObjects, ListLiveRecords } from '@billing/contracts/rpc/syncs';
import { isMirrored } from '@billing/service/mirrored-rows';
import { toCouponState, toPromotionCodeState } from '#domain/discount.ts';
import { toState as toPriceState } from '#domain/price.ts';
import { toState as toProductState } from '#domain/product.ts';
import { COUPON, PRICE, PRODUCT } from '#operations/record-types.ts';
import { Coupon } from '#persistence/coupon.entity.ts';
import { Feature, toFeatureState } from '#persistence/feature.entity.ts';
import { Price } from '#persistence/price.entity.ts';
import { Product } from '#persistence/product.entity.ts';
import { PromotionCode } from '#persistence/promotion-code.entity.ts';
import type { Dependencies } from '../dependencies.ts';
import { compareCatalog } from './compare-catalog.ts';
import { findPromotionCode } from './find-promotion-code.ts';
import { readCatalog } from './read-catalog.ts';
import { writeCatalog } from './write-catalog.ts';

/** The calls of other services about the catalog. */
export const catalogRpc = ({ em, processors, now, ...others }: Dependencies): RpcHandler[] => [
  rpcHandler(FindPrices, ({ priceIds, ...scope }) =>
    findWithProducts(em, scope, { id: { $in: priceIds }, deletedAt: null }),
  ),
  rpcHandler(FindPricesByKey, async ({ keys, ...scope }) => {
    const named = await findWithProducts(em, scope, { key: { $in: keys }, isActive: true, deletedAt: null });
    const newestFirst = named.toSorted((a, b) => b.price.createdAt.getTime() - a.price.createdAt.getTime());
    return keys.flatMap(key => newestFirst.find(({ price }) => price.key === key) ?? []);
  }),
  rpcHandler(FindProducts, async ({ productIds, teamId, projectId }) => {
    const products = await em.fork().find(Product, { id: { $in: productIds }, teamId, projectId, deletedAt: null });
    return products.filter(isMirrored).map(toProductState);
  }),
  rpcHandler(FindPriceByProcessorId, async ({ processorPriceId, ...scope }) => {
    const [found] = await findWithProducts(em, scope, { processorId: processorPriceId });
    return found ?? null;
  }),
  rpcHandler(FindFeature, async ({ teamId, projectId, key }) => {
    const feature = await em.fork().findOne(Feature, { teamId, projectId, key });
    return feature && toFeatureState(feature);
  }),
  rpcHandler(FindPromotionCode, findPromotionCode({ em, processors, now })),
  rpcHandler(FindStoredPromotionCode, async ({ promotionCodeId: id, teamId, projectId }) => {
    const code = await em.fork().findOne(PromotionCode, { id, teamId, projectId, deletedAt: null });
    if (!isMirrored(code)) return null;
    const coupon = await em.fork().findOne(Coupon, { id: code.couponId, teamId, projectId });
    return isMirrored(coupon) ? { promotionCode: toPromotionCodeState(code), coupon: toCouponState(coupon) } : null;
  }),
  rpcHandler(
    CountMirrored.catalog,
    countMirrored(em, {
      products: 'products where deleted_at is null',
      prices: 'prices where deleted_at is null',
      coupons: 'coupons where deleted_at is null',
      promotionCodes: 'promotion_codes where deleted_at is null',
    }),
  ),
  rpcHandler(ReadCatalog, readCatalog({ em, now })),
  rpcHandler(WriteCatalog, writeCatalog({ em, processors, now, ...others })),
  rpcHandler(CompareObjects.catalog, compareCatalog({ em, now })),
  rpcHandler(ListLiveRecords.catalog, async ({ type, ...page }) => {
    // The processor deletes no promotion code.
    if (type === 'promotion_code') return { records: [], next: null };
    const { rows } = type === 'price' ? PRICE : type === 'coupon' ? COUPON : PRODUCT;
    return rows.listLive(em.fork(), page);
  }),
];

type PriceQuery =
  | { readonly id: { readonly $in: readonly PriceId[] }; readonly deletedAt: null }
  | { readonly key: { readonly $in: readonly string[] }; readonly isActive: true; readonly deletedAt: null }
  | { readonly processorId: string };

async function findWithProducts(
  em: EntityManager,
  { teamId, projectId }: ProjectScope,
  query: PriceQuery,
): Promise<{ price: PriceState; product: ProductState }[]> {
  const fork = em.fork();
  // Of several lives of an id the one that is not deleted comes first.
  const prices = await fork.find(
    Price,
    { ...query, teamId, projectId },
    { orderBy: { deletedAt: 'desc nulls first' } },
  );
  const ids = prices.map(({ productId }) => productId);
  const products = await fork.find(Product, { id: { $in: ids }, teamId, projectId });
  return prices.flatMap(price => {
    const product = products.find(({ id }) => id === price.productId) ?? null;
    if (!isMirrored(price) || !isMirrored(product)) return [];
    return [{ price: toPriceState(price), product: toProductState(product) }];
  });
}
