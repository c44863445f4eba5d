import type { EntityManager } from '@mikro-orm/postgresql';
import { FindPrice, FindPriceByProcessorId } from '@billing/contracts/rpc/calls';
import type { PriceState, ProductState } from '@billing/contracts/events/catalog';
import type { PriceId, ProjectScope } from '@billing/contracts/ids';
import { serveRpc } from '@billing/messaging/rpc';
import type { NatsConnection } from '@nats-io/transport-node';
import type { Logger } from 'pino';
import { stateOf as priceStateOf } from '#domain/price.ts';
import { stateOf as productStateOf } from '#domain/product.ts';
import { isMirrored as isMirroredPrice, Price } from '#persistence/price.entity.ts';
import { isMirrored, Product } from '#persistence/product.entity.ts';

interface AnswerOptions {
  readonly em: EntityManager;
  readonly nats: NatsConnection;
  readonly root: string;
  readonly logger: Logger;
}

/** Answers what other services ask about prices, until stopped. */
export function answerAboutPrices({ em, ...bus }: AnswerOptions): () => Promise<void> {
  const stops = [
    serveRpc(bus, FindPrice, ({ priceId, ...scope }) => findPriced(em.fork(), scope, { id: priceId, deletedAt: null })),
    serveRpc(bus, FindPriceByProcessorId, ({ processorPriceId, ...scope }) =>
      findPriced(em.fork(), scope, { processorPriceId }),
    ),
  ];
  return async () => {
    await Promise.all(stops.map(stop => stop()));
  };
}

type Which = { readonly id: PriceId; readonly deletedAt: null } | { readonly processorPriceId: string };

async function findPriced(
  em: EntityManager,
  { teamId, projectId }: ProjectScope,
  which: Which,
): Promise<{ price: PriceState; product: ProductState } | null> {
  const price = await em.findOne(Price, { ...which, teamId, projectId });
  if (!isMirroredPrice(price)) return null;
  const product = await em.findOne(Product, { id: price.productId, teamId, projectId });
  if (!isMirrored(product)) return null;
  return { price: priceStateOf(price), product: productStateOf(product) };
}
