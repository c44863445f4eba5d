import type { EntityManager } from '@mikro-orm/postgresql';
import type { TeamProcessors } from '@billing/processor/team-processors';
import { rpcHandler, type RpcHandler } from '@billing/service/definition';
import type { PriceState, ProductState } from '@billing/contracts/events/catalog';
import type { PriceId, ProjectScope } from '@billing/contracts/ids';
import { FindFeature, FindPrice, FindPriceByProcessorId, FindPromotionCode } from '@billing/contracts/rpc/calls';
import { CompareObjects, ListLiveRecords } from '@billing/contracts/rpc/syncs';
import { isMirrored } from '@billing/service/mirrored-rows';
import { toState as toPriceState } from '#domain/price.ts';
import { toState as toProductState } from '#domain/product.ts';
import { Feature, toFeatureState } from '#persistence/feature.entity.ts';
import { Price } from '#persistence/price.entity.ts';
import { Product } from '#persistence/product.entity.ts';
import { compareCatalog } from './compare-catalog.ts';
import { findPromotionCode } from './find-promotion-code.ts';
import { listLiveCatalog } from './list-live-catalog.ts';

interface RpcDependencies {
  readonly em: EntityManager;
  readonly processors: TeamProcessors;
  readonly now: () => Date;
}

/** The calls of other services about the catalog. */
export const catalogRpc = ({ em, processors, now }: RpcDependencies): RpcHandler[] => [
  rpcHandler(FindPrice, ({ priceId, ...scope }) => findWithProduct(em, scope, { id: priceId, deletedAt: null })),
  rpcHandler(FindPriceByProcessorId, ({ processorPriceId, ...scope }) =>
    findWithProduct(em, scope, { processorId: processorPriceId }),
  ),
  rpcHandler(FindFeature, async ({ teamId, projectId, key }) => {
    const feature = await em.fork().findOne(Feature, { teamId, projectId, key });
    return feature && toFeatureState(feature);
  }),
  rpcHandler(FindPromotionCode, findPromotionCode({ em, processors, now })),
  rpcHandler(CompareObjects.catalog, compareCatalog({ em, now })),
  rpcHandler(ListLiveRecords.catalog, listLiveCatalog(em)),
];

type PriceQuery = { readonly id: PriceId; readonly deletedAt: null } | { readonly processorId: string };

async function findWithProduct(
  em: EntityManager,
  { teamId, projectId }: ProjectScope,
  query: PriceQuery,
): Promise<{ price: PriceState; product: ProductState } | null> {
  const fork = em.fork();
  const price = await fork.findOne(Price, { ...query, teamId, projectId });
  if (!isMirrored(price)) return null;
  const product = await fork.findOne(Product, { id: price.productId, teamId, projectId });
  if (!isMirrored(product)) return null;
  return { price: toPriceState(price), product: toProductState(product) };
}
