import type { EntityManager } from '@mikro-orm/postgresql';
import { unavailable } from '@billing/contracts/problem';
import type { ProcessorEventData } from '@billing/contracts/processor-events';
import { lockObjects } from '@billing/database/advisory-locks';
import { scopedKey } from '@billing/database/project-objects';
import { consumer, type Consumer } from '@billing/messaging/consumer/consumer';
import type { Delivery } from '@billing/messaging/consumer/delivery';
import type { Publish } from '@billing/messaging/outbox';
import { readObject } from '@billing/processor/event-object';
import { readProduct } from '@billing/processor/snapshots/catalog';
import type { TeamProcessors } from '@billing/processor/team-processors';
import type { Logger } from 'pino';
import { applyProductEvent, type Reread } from '#operations/apply-product-event.ts';
import { mirrorProduct } from '#operations/mirror-product.ts';
import { findByProcessorIds, findReservedNames, lockByProcessorIds } from '#persistence/find-product.ts';

interface ProductConsumerDependencies {
  readonly em: EntityManager;
  readonly processors: TeamProcessors;
  readonly logger: Logger;
  readonly now: () => Date;
}

/** Follows the processor's products: changes of those we have, and new ones that name the project. */
export function productEvents({ em, processors, logger, now }: ProductConsumerDependencies): Consumer {
  /** Reads the product at the processor, if we have it. */
  const prepare = async (delivery: Delivery<ProcessorEventData>): Promise<Reread | null> => {
    const { teamId, snapshot, id, name } = readEvent(delivery);
    const product = (await findByProcessorIds(em.fork(), [id])).get(scopedKey(id));
    if (product) {
      const processor = await processors.of(teamId);
      return { version: product.version, snapshot: await processor.findProduct(snapshot.id) };
    }
    const reserved = await findReservedNames(em.fork(), [name]);
    if (reserved.size > 0) throw unavailable('A product of this name is being created.');
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
    const reservedNames = await findReservedNames(
      tx,
      events.map(({ name }) => name),
    );
    const products = await lockByProcessorIds(tx, ids);

    /** Returns false for an event that needs `prepare`. */
    const apply = ({ delivery, scope, id, name, snapshot }: (typeof events)[number]): boolean => {
      const { data, trace, context: reread } = delivery;
      const { createdAt } = data;
      const product = products.get(scopedKey(id));
      if (product) return applyProductEvent(tx, publish, product, { snapshot, createdAt, trace, reread });
      // The event is probably about the product that is being created, and waits until that has its processor id.
      if (reservedNames.has(scopedKey(name))) return false;
      if (snapshot.metadata['projectId'] === scope.projectId) {
        const source = { eventAt: createdAt, createdAt: now(), trace };
        products.set(scopedKey(id), mirrorProduct(tx, publish, scope, snapshot, source));
      } else logger.info({ processorProductId: snapshot.id }, 'product of another project ignored');
      return true;
    };
    return events.filter(event => !apply(event)).map(({ delivery }) => delivery);
  };

  return consumer('catalog-products', 'processor.product.*.v1').onProcessorEvent(
    ['product.created', 'product.updated'],
    { prepare, handle },
  );
}

function readEvent<Context>(delivery: Delivery<ProcessorEventData, Context>) {
  const { teamId, data } = delivery;
  const snapshot = readObject(data, readProduct);
  const scope = { teamId, projectId: data.projectId };
  const id = { scope, id: snapshot.id };
  const name = { scope, id: snapshot.name };
  return { delivery, teamId, scope, snapshot, id, name };
}
