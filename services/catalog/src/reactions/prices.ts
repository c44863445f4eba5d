import type { EntityManager } from '@mikro-orm/postgresql';
import { PriceId, TeamId, type ProjectScope } from '@billing/contracts/ids';
import { unavailable } from '@billing/contracts/problem';
import type { ProcessorEventData } from '@billing/contracts/processor-events';
import { Inbox } from '@billing/messaging/inbox';
import { isMissing } from '@billing/processor/errors';
import { readObject } from '@billing/processor/event-object';
import type { PriceSnapshot, Processor, ProductSnapshot } from '@billing/processor/port';
import { readPrice } from '@billing/processor/snapshots/catalog';
import type { TeamProcessors } from '@billing/processor/team-processors';
import type { Logger } from 'pino';
import { judge, later } from '@billing/processor/event-order';
import { contentOf, isSameContent } from '#domain/price.ts';
import { takeOver } from '#operations/change-price.ts';
import { lockPriceRow } from '#operations/find-price.ts';
import { mirrorPrice } from '#operations/mirror-price.ts';
import { mirrorProduct } from '#operations/mirror-product.ts';
import { isMirrored, Price } from '#persistence/price.entity.ts';
import { Product } from '#persistence/product.entity.ts';

interface ReactionOptions {
  readonly em: EntityManager;
  readonly processors: TeamProcessors;
  readonly logger: Logger;
}

/** What was found out before the transaction. */
type Found =
  /** A price we know; `fresh` is how it stands at the processor, where the event alone can't tell. */
  | { readonly kind: 'known'; readonly id: PriceId; readonly version: number; readonly fresh: PriceSnapshot | null }
  /** A new price; `product` is the processor's own where we don't know that either. */
  | { readonly kind: 'new'; readonly product: ProductSnapshot | null }
  | { readonly kind: 'foreign' };

/** Takes over what the processor says of prices: changes of those we know, and new ones of the project's products. */
export function reactToPrices({ em, processors, logger }: ReactionOptions): Inbox {
  const look = async (data: ProcessorEventData, event: { teamId: string }): Promise<Found> => {
    const scope = scopeOf(data, event);
    const snapshot = readObject(data, readPrice);
    const price = await em.fork().findOne(Price, { ...scope, processorPriceId: snapshot.id });
    if (price) {
      const { id, version } = price;
      const judgement = judge(price, data.createdAt, isSameContent(price, contentOf(snapshot)));
      const isUnclear = judgement === 'look-again';
      const fresh = isUnclear ? await (await processors.of(scope.teamId)).findPrice(snapshot.id) : null;
      return { kind: 'known', id, version, fresh };
    }
    await waitForReservation(em.fork(), scope, snapshot);
    if (await findProduct(em.fork(), scope, snapshot)) return { kind: 'new', product: null };
    const product = await findAtProcessor(await processors.of(scope.teamId), snapshot.productId);
    return product && belongsTo(scope, product, snapshot) ? { kind: 'new', product } : { kind: 'foreign' };
  };

  const react = async (tx: EntityManager, data: ProcessorEventData, event: { teamId: string }, found: Found) => {
    const scope = scopeOf(data, event);
    const snapshot = readObject(data, readPrice);
    if (found.kind === 'known') return follow(tx, scope, data.createdAt, snapshot, found);
    if (found.kind === 'foreign')
      return logger.info({ processorPriceId: snapshot.id }, 'price of no product of ours, let pass');
    const known = await findProduct(tx, scope, snapshot);
    if (known?.deletedAt) return; // what was deleted here gets nothing new
    const product = known ?? (found.product && mirrorProduct(tx, scope, found.product, null));
    if (!product) throw unavailable('The product of the price changed meanwhile.');
    mirrorPrice(tx, scope, product.id, snapshot, data.createdAt);
  };

  return new Inbox(em, 'catalog-prices', logger)
    .onProcessor('price.created', look, react)
    .onProcessor('price.updated', look, react);
}

async function follow(
  tx: EntityManager,
  scope: ProjectScope,
  createdAt: Date,
  snapshot: PriceSnapshot,
  { id, version, fresh }: Extract<Found, { kind: 'known' }>,
): Promise<void> {
  const price = await lockPriceRow(tx, scope, id);
  if (!isMirrored(price)) return;
  // What was found out is about the record as it was then.
  if (price.version !== version) throw unavailable('The price changed meanwhile.');
  const told = contentOf(snapshot);
  const judgement = judge(price, createdAt, isSameContent(price, told));
  if (judgement === 'ignore') return;
  if (judgement === 'look-again' && !fresh) throw unavailable('The price changed meanwhile.');
  const truth = judgement === 'look-again' && fresh ? contentOf(fresh) : told;
  takeOver(tx, price, truth);
  price.processorUpdatedAt = later(price.processorUpdatedAt, createdAt);
  if (isSameContent(truth, told)) price.awaitsEcho = false;
}

/** The price is just being created here: the event waits until it has its id. */
async function waitForReservation(em: EntityManager, scope: ProjectScope, { metadata }: PriceSnapshot): Promise<void> {
  const id = PriceId.schema.safeParse(metadata['priceId']);
  if (!id.success) return;
  const reserved = await em.count(Price, { ...scope, id: id.data, processorPriceId: null });
  if (reserved > 0) throw unavailable('The price is just being created.');
}

function findProduct(em: EntityManager, scope: ProjectScope, { productId }: PriceSnapshot): Promise<Product | null> {
  return em.findOne(Product, { ...scope, processorProductId: productId });
}

/** The processor's product; null once it is deleted there. */
async function findAtProcessor(processor: Processor, id: string): Promise<ProductSnapshot | null> {
  try {
    return await processor.findProduct(id);
  } catch (err) {
    if (isMissing(err)) return null;
    throw err;
  }
}

/** Whether the product, or else its price, names the project. */
function belongsTo({ projectId }: ProjectScope, product: ProductSnapshot, price: PriceSnapshot): boolean {
  return (product.metadata['projectId'] ?? price.metadata['projectId']) === projectId;
}

function scopeOf({ projectId }: ProcessorEventData, { teamId }: { teamId: string }): ProjectScope {
  return { teamId: TeamId.schema.parse(teamId), projectId };
}
