import type { EntityManager } from '@mikro-orm/postgresql';
import type { PriceState, ProductState } from '@billing/contracts/events/catalog';
import type { PriceId, ProjectScope } from '@billing/contracts/ids';
import { FindPrice, FindPriceByProcessorId } from '@billing/contracts/rpc/calls';
import { serveRpc } from '@billing/messaging/rpc';
import type { NatsConnection } from '@nats-io/transport-node';
import type { Logger } from 'pino';
import { toState as toPriceState } from '#domain/price.ts';
import { toState as toProductState } from '#domain/product.ts';
import { isMirrored as isMirroredPrice, Price } from '#persistence/price.entity.ts';
import { isMirrored, Product } from '#persistence/product.entity.ts';

interface PriceRpcOptions {
  readonly em: EntityManager;
  readonly nats: NatsConnection;
  readonly root: string;
  readonly logger: Logger;
}

/** Serves the calls of other services about prices, until stopped. */
export function priceRpc({ em, ...bus }: PriceRpcOptions): () => Promise<void> {
  const stops = [
    serveRpc(bus, FindPrice, ({ priceId, ...scope }) => findWithProduct(em, scope, { id: priceId, deletedAt: null })),
    serveRpc(bus, FindPriceByProcessorId, ({ processorPriceId, ...scope }) =>
      findWithProduct(em, scope, { processorPriceId }),
    ),
  ];
  return async () => {
    await Promise.all(stops.map(stop => stop()));
  };
}

type PriceQuery = { readonly id: PriceId; readonly deletedAt: null } | { readonly processorPriceId: string };

async function findWithProduct(
  em: EntityManager,
  { teamId, projectId }: ProjectScope,
  query: PriceQuery,
): Promise<{ price: PriceState; product: ProductState } | null> {
  const fork = em.fork();
  const price = await fork.findOne(Price, { ...query, teamId, projectId });
  if (!isMirroredPrice(price)) return null;
  const product = await fork.findOne(Product, { id: price.productId, teamId, projectId });
  if (!isMirrored(product)) return null;
  return { price: toPriceState(price), product: toProductState(product) };
}
