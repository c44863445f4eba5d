import type { EntityManager } from '@mikro-orm/postgresql';
import { PriceId, type ProjectScope } from '@billing/contracts/ids';
import { unavailable } from '@billing/contracts/problem';
import { lockObjects } from '@billing/database/advisory-locks';
import { scopedKey } from '@billing/database/project-objects';
import type { Consumer } from '@billing/messaging/consumer/consumer';
import type { Publish } from '@billing/messaging/outbox';
import { missingOrThrow } from '@billing/processor/errors';
import { namedProject } from '@billing/processor/metadata';
import type { PriceSnapshot, ProductSnapshot } from '@billing/processor/port';
import { namedProductIds } from '#operations/create-product.ts';
import { mirrorPrice, mirrorProduct } from '#operations/mirror-record.ts';
import { PRICE, PRODUCT } from '#operations/record-types.ts';
import { followRecords, type FollowDependencies, type RecordEvent } from './follow-records.ts';

/** The product of a new price; `missing` when the processor has deleted it. */
type FoundProduct = ProductSnapshot | 'missing';
type PriceEvent = RecordEvent<PriceId, PriceSnapshot, FoundProduct>;

/** Follows the processor's prices. New ones are those of the project's products, which are added with them. */
export function priceEvents(dependencies: FollowDependencies): Consumer {
  const { em, processors, logger, now } = dependencies;

  const namedIds = (scope: ProjectScope, { metadata }: PriceSnapshot) => {
    const id = PriceId.schema.safeParse(metadata['priceId']).data;
    return id === undefined ? [] : [{ scope, id }];
  };

  const findForNew = async (scope: ProjectScope, price: PriceSnapshot): Promise<FoundProduct> => {
    const processor = await processors.of(scope.teamId);
    const product = await processor.findProduct(price.productId).catch(missingOrThrow);
    const reserved = await PRODUCT.rows.findReservedIds(em.fork(), namedIn(scope, product));
    if (reserved.size > 0) throw unavailable('The product of the price is being created.');
    return product;
  };

  const begin = async (tx: EntityManager, publish: Publish, events: readonly PriceEvent[]) => {
    const ids = events.map(productIdOf);
    // Before rows, and prices before products, as everywhere in this service.
    await lockObjects(tx, 'product', ids);
    const reserved = await PRODUCT.rows.findReservedIds(
      tx,
      events.flatMap(({ scope, found }) => namedIn(scope, found)),
    );
    const products = await PRODUCT.rows.findByProcessorIds(tx, ids);

    return async (event: PriceEvent) => {
      const { scope, snapshot, source, found } = event;
      const key = scopedKey(productIdOf(event));
      if (!products.has(key)) {
        const named = namedIn(scope, found);
        if (found === undefined || named.some(it => reserved.has(scopedKey(it)))) return 'unprepared';
        if (found !== 'missing' && belongsTo(scope, found, snapshot)) {
          const origin = { scope, named, source, eventAt: null, createdAt: now() };
          products.set(key, await mirrorProduct(tx, publish, found, origin));
        }
      }
      const product = products.get(key);
      if (!product) logger.info({ processorPriceId: snapshot.id }, 'price of a foreign product ignored');
      // A product that was deleted here gets no new prices.
      if (!product || product.deletedAt) return null;
      const createdAt = event.fromSync ? snapshot.createdAt : now();
      return mirrorPrice(tx, publish, snapshot, { ...event, eventAt: source.at, createdAt, productId: product.id });
    };
  };

  return followRecords(PRICE, dependencies, { namedIds, findForNew, begin });
}

const productIdOf = ({ scope, snapshot: { productId: id } }: PriceEvent) => ({ scope, id });

/** Our ids of the product that was read, if we created it: while it has no processor id here, the event waits. */
const namedIn = (scope: ProjectScope, product: FoundProduct | undefined) =>
  product === undefined || product === 'missing' ? [] : namedProductIds(scope, product);

/** Returns whether the product, or else its price, names the project. */
function belongsTo({ projectId }: ProjectScope, product: ProductSnapshot, price: PriceSnapshot): boolean {
  return (namedProject(product.metadata) ?? namedProject(price.metadata)) === projectId;
}
