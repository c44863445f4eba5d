import type { EntityManager } from '@mikro-orm/postgresql';
import { PriceId, type ProjectScope } from '@billing/contracts/ids';
import { unavailable } from '@billing/contracts/problem';
import { processorEvent, type ProcessorEventData } from '@billing/contracts/processor-events';
import { lockObjects } from '@billing/database/advisory-locks';
import { scopedKey } from '@billing/database/project-objects';
import { consumer, type Consumer } from '@billing/messaging/consumer/consumer';
import type { Delivery } from '@billing/messaging/consumer/delivery';
import type { Publish } from '@billing/messaging/outbox';
import { missingOrThrow } from '@billing/processor/errors';
import { readObject } from '@billing/processor/event-object';
import type { PriceSnapshot, ProductSnapshot } from '@billing/processor/port';
import { readPrice } from '@billing/processor/snapshots/catalog';
import type { TeamProcessors } from '@billing/processor/team-processors';
import type { Logger } from 'pino';
import { applyPriceEvent, type Reread } from '#operations/apply-price-event.ts';
import { namedProductIds } from '#operations/create-product.ts';
import { findLostId } from '#operations/find-lost-id.ts';
import { mirrorPrice } from '#operations/mirror-price.ts';
import { mirrorProduct } from '#operations/mirror-product.ts';
import { saveDeleted } from '#operations/save-price.ts';
import { findByProcessorIds, findReservedIds, lockByProcessorIds } from '#persistence/find-price.ts';
import {
  findByProcessorIds as findProductsByProcessorIds,
  findReservedIds as findReservedProductIds,
} from '#persistence/find-product.ts';

interface PriceConsumerDependencies {
  readonly em: EntityManager;
  readonly processors: TeamProcessors;
  readonly logger: Logger;
  readonly now: () => Date;
}

/** What was read at the processor: the price, if we have it, and otherwise its product. */
type Context =
  | ({ readonly kind: 'price' } & Reread)
  /** `missing` when the processor has deleted it. */
  | { readonly kind: 'product'; readonly product: ProductSnapshot | 'missing' };

const DELETED = processorEvent('price.deleted').name;

/**
 * Follows the processor's prices: changes and deletions of those we have, and new ones of the project's products. One whose
 * deletion comes first is recorded as deleted, so that no later event brings it back.
 */
export function priceEvents({ em, processors, logger, now }: PriceConsumerDependencies): Consumer {
  /** Reads the price at the processor, if we have it, and otherwise its product. */
  const prepare = async (delivery: Delivery<ProcessorEventData>): Promise<Context> => {
    const { teamId, scope, snapshot, id, namedIds } = readEvent(delivery);
    const processor = await processors.of(teamId);
    const price = (await findByProcessorIds(em.fork(), [id])).get(scopedKey(id));
    if (price) {
      const found = await processor.findPrice(snapshot.id).catch(missingOrThrow);
      return { kind: 'price', version: price.version, snapshot: found };
    }
    const reserved = await findReservedIds(em.fork(), namedIds);
    if (reserved.size > 0) throw unavailable('The price is being created.');
    const product = await processor.findProduct(snapshot.productId).catch(missingOrThrow);
    const context = { kind: 'product', product } as const;
    const reservedProducts = await findReservedProductIds(em.fork(), namedProductsIn(scope, context));
    if (reservedProducts.size > 0) throw unavailable('The product of the price is being created.');
    return context;
  };

  const handle = async (
    tx: EntityManager,
    deliveries: readonly Delivery<ProcessorEventData, Context>[],
    publish: Publish,
  ) => {
    const events = deliveries.map(readEvent);
    const ids = events.map(({ id }) => id);
    const productIds = events.map(({ productId }) => productId);
    // Before rows, and prices before products, as everywhere in this service.
    await lockObjects(tx, 'price', ids);
    await lockObjects(tx, 'product', productIds);
    // Before the prices and products: one that is created in between is found under its processor id.
    const reservedIds = await findReservedIds(
      tx,
      events.flatMap(({ namedIds }) => namedIds),
    );
    const reservedProductIds = await findReservedProductIds(
      tx,
      events.flatMap(({ scope, delivery }) => namedProductsIn(scope, delivery.context)),
    );
    const prices = await lockByProcessorIds(tx, ids);
    const products = await findProductsByProcessorIds(tx, productIds);

    /** Returns false for an event that needs `prepare`. */
    const apply = async (event: (typeof events)[number]): Promise<boolean> => {
      const { delivery, scope, snapshot, id, productId, namedIds, isDeletion } = event;
      const { context, data, trace } = delivery;
      const price = prices.get(scopedKey(id));
      if (price && isDeletion) {
        if (!price.deletedAt) saveDeleted(tx, publish, price, data.createdAt, trace);
        return true;
      }
      if (price) {
        const reread = context?.kind === 'price' ? context : undefined;
        return applyPriceEvent(tx, publish, price, { snapshot, createdAt: data.createdAt, trace, reread });
      }
      if (namedIds.some(named => reservedIds.has(scopedKey(named)))) return false;
      if (!products.has(scopedKey(productId))) {
        if (context?.kind !== 'product') return false;
        const named = namedProductsIn(scope, context);
        if (named.some(it => reservedProductIds.has(scopedKey(it)))) return false;
        if (context.product !== 'missing' && belongsTo(scope, context.product, snapshot)) {
          const lostId = await findLostId(tx, { table: 'products', named, at: data.createdAt });
          const source = { eventAt: null, createdAt: now(), trace, id: lostId };
          products.set(scopedKey(productId), mirrorProduct(tx, publish, scope, context.product, source));
        }
      }
      const product = products.get(scopedKey(productId));
      if (!product) logger.info({ processorPriceId: snapshot.id }, 'price of a foreign product ignored');
      // A product that was deleted here gets no new prices.
      if (product && !product.deletedAt) {
        const lostId = await findLostId(tx, { table: 'prices', named: namedIds, at: data.createdAt });
        const since = data.fromSync ? snapshot.createdAt : now();
        const source = { productId: product.id, eventAt: data.createdAt, createdAt: since, trace, id: lostId };
        const mirrored = mirrorPrice(tx, publish, scope, snapshot, source);
        prices.set(scopedKey(id), mirrored);
        if (isDeletion) saveDeleted(tx, publish, mirrored, data.createdAt, trace);
      }
      return true;
    };
    const unprepared: (typeof deliveries)[number][] = [];
    for (const event of events) if (!(await apply(event))) unprepared.push(event.delivery);
    return unprepared;
  };

  return consumer('catalog-prices', 'processor.price.*.v1').onProcessorEvent(
    ['price.created', 'price.updated', 'price.deleted'],
    { prepare, handle },
  );
}

function readEvent<EventContext>(delivery: Delivery<ProcessorEventData, EventContext>) {
  const { teamId, data, event } = delivery;
  const snapshot = readObject(data, readPrice);
  const scope = { teamId, projectId: data.projectId };
  const id = { scope, id: snapshot.id };
  const productId = { scope, id: snapshot.productId };
  const priceId = PriceId.schema.safeParse(snapshot.metadata['priceId']).data;
  /** Our id, if we created the price: while it has no processor id here, the event waits. */
  const namedIds = priceId === undefined ? [] : [{ scope, id: priceId }];
  const isDeletion = event.type === DELETED;
  return { delivery, teamId, scope, snapshot, id, productId, namedIds, isDeletion };
}

/** Our id of the product that was read, if we created it: while it has no processor id here, the event waits. */
const namedProductsIn = (scope: ProjectScope, context: Context | undefined) =>
  context?.kind === 'product' && context.product !== 'missing' ? namedProductIds(scope, context.product) : [];

/** Returns whether the product, or else its price, names the project. */
function belongsTo({ projectId }: ProjectScope, product: ProductSnapshot, price: PriceSnapshot): boolean {
  return (product.metadata['projectId'] ?? price.metadata['projectId']) === projectId;
}
