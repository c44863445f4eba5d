import type { EntityManager } from '@mikro-orm/postgresql';
import { unavailable } from '@billing/contracts/problem';
import { processorEvent, type ProcessorEventData } from '@billing/contracts/processor-events';
import { lockObjects } from '@billing/database/advisory-locks';
import { scopedKey } from '@billing/database/project-objects';
import { consumer, type Consumer } from '@billing/messaging/consumer/consumer';
import type { Delivery } from '@billing/messaging/consumer/delivery';
import type { Publish } from '@billing/messaging/outbox';
import { missingOrThrow } from '@billing/processor/errors';
import { readObject } from '@billing/processor/event-object';
import { readProduct } from '@billing/processor/snapshots/catalog';
import type { TeamProcessors } from '@billing/processor/team-processors';
import type { Logger } from 'pino';
import { applyProductEvent, type Reread } from '#operations/apply-product-event.ts';
import { findLostId } from '#operations/find-lost-id.ts';
import { mirrorProduct } from '#operations/mirror-product.ts';
import { namedProductIds } from '#operations/create-product.ts';
import { saveDeleted } from '#operations/save-product.ts';
import { findByProcessorIds, findReservedIds, lockByProcessorIds } from '#persistence/find-product.ts';

interface ProductConsumerDependencies {
  readonly em: EntityManager;
  readonly processors: TeamProcessors;
  readonly logger: Logger;
  readonly now: () => Date;
}

const DELETED = processorEvent('product.deleted').name;

/**
 * Follows the processor's products: changes and deletions of those we have, and new ones that name the project or were read
 * by a sync. One whose
 * deletion comes first is recorded as deleted, so that no later event brings it back.
 */
export function productEvents({ em, processors, logger, now }: ProductConsumerDependencies): Consumer {
  /** Reads the product at the processor, if we have it. */
  const prepare = async (delivery: Delivery<ProcessorEventData>): Promise<Reread | null> => {
    const { teamId, snapshot, id, namedIds } = readEvent(delivery);
    const product = (await findByProcessorIds(em.fork(), [id])).get(scopedKey(id));
    if (product) {
      const processor = await processors.of(teamId);
      const found = await processor.findProduct(snapshot.id).catch(missingOrThrow);
      return { version: product.version, snapshot: found };
    }
    const reserved = await findReservedIds(em.fork(), namedIds);
    if (reserved.size > 0) throw unavailable('The product is being created.');
    return null;
  };

  const handle = async (
    tx: EntityManager,
    deliveries: readonly Delivery<ProcessorEventData, Reread | null>[],
    publish: Publish,
  ) => {
    const events = deliveries.map(readEvent);
    const ids = events.map(({ id }) => id);
    await lockObjects(tx, 'product', ids);
    // Before the products: one that is created in between is found under its processor id.
    const reservedIds = await findReservedIds(
      tx,
      events.flatMap(({ namedIds }) => namedIds),
    );
    const products = await lockByProcessorIds(tx, ids);

    /** Returns false for an event that needs `prepare`. */
    const apply = async (event: (typeof events)[number]): Promise<boolean> => {
      const { delivery, scope, id, namedIds, snapshot, isDeletion } = event;
      const { data, trace, context: reread } = delivery;
      const { createdAt } = data;
      const product = products.get(scopedKey(id));
      if (product && isDeletion) {
        if (!product.deletedAt) saveDeleted(tx, publish, product, createdAt, trace);
        return true;
      }
      if (product) return applyProductEvent(tx, publish, product, { snapshot, createdAt, trace, reread });
      if (namedIds.some(named => reservedIds.has(scopedKey(named)))) return false;
      if (data.fromSync || snapshot.metadata['projectId'] === scope.projectId) {
        const lostId = await findLostId(tx, { table: 'products', named: namedIds, at: createdAt });
        const since = data.fromSync ? snapshot.createdAt : now();
        const source = { eventAt: createdAt, createdAt: since, trace, id: lostId };
        const mirrored = mirrorProduct(tx, publish, scope, snapshot, source);
        products.set(scopedKey(id), mirrored);
        if (isDeletion) saveDeleted(tx, publish, mirrored, createdAt, trace);
      } else logger.info({ processorProductId: snapshot.id }, 'product of another project ignored');
      return true;
    };
    const unprepared: (typeof deliveries)[number][] = [];
    for (const event of events) if (!(await apply(event))) unprepared.push(event.delivery);
    return unprepared;
  };

  return consumer('catalog-products', 'processor.product.*.v1').onProcessorEvent(
    ['product.created', 'product.updated', 'product.deleted'],
    { prepare, handle },
  );
}

function readEvent<Context>(delivery: Delivery<ProcessorEventData, Context>) {
  const { teamId, data, event } = delivery;
  const snapshot = readObject(data, readProduct);
  const scope = { teamId, projectId: data.projectId };
  const id = { scope, id: snapshot.id };
  /** Our id, if we created the product: while it has no processor id here, the event waits. */
  const namedIds = namedProductIds(scope, snapshot);
  return { delivery, teamId, scope, snapshot, id, namedIds, isDeletion: event.type === DELETED };
}
