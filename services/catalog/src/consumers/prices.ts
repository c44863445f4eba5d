import type { EntityManager } from '@mikro-orm/postgresql';
import { PriceId, TeamId, type ProjectScope } from '@billing/contracts/ids';
import { unavailable } from '@billing/contracts/problem';
import type { ProcessorEventData } from '@billing/contracts/processor-events';
import { Inbox } from '@billing/messaging/inbox';
import { record, type Publish } from '@billing/messaging/outbox';
import { isMissing } from '@billing/processor/errors';
import { readObject } from '@billing/processor/event-object';
import { decideOnEvent, later } from '@billing/processor/event-order';
import type { PriceSnapshot, Processor, ProductSnapshot } from '@billing/processor/port';
import { readPrice } from '@billing/processor/snapshots/catalog';
import type { TeamProcessors } from '@billing/processor/team-processors';
import type { Logger } from 'pino';
import { isSameContent, toContent } from '#domain/price.ts';
import { mirrorPrice } from '#operations/mirror-price.ts';
import { mirrorProduct } from '#operations/mirror-product.ts';
import { saveContent } from '#operations/save-price.ts';
import { lockPriceRow } from '#persistence/find-price.ts';
import { isMirrored, Price } from '#persistence/price.entity.ts';
import { Product } from '#persistence/product.entity.ts';

interface PriceConsumerOptions {
  readonly em: EntityManager;
  readonly processors: TeamProcessors;
  readonly logger: Logger;
  readonly now: () => Date;
}

/** What was read before the transaction opened. */
type Context =
  /** A price that we have; `fresh` is the one at the processor, read where the event alone does not decide. */
  | { readonly kind: 'existing'; readonly id: PriceId; readonly version: number; readonly fresh: PriceSnapshot | null }
  /** A new price; `product` is the processor's product where we do not have that either. */
  | { readonly kind: 'new'; readonly product: ProductSnapshot | null }
  | { readonly kind: 'foreign' };

/** Follows the processor's prices: changes of those we have, and new ones of the project's products. */
export function priceEvents({ em, processors, logger, now }: PriceConsumerOptions): Inbox {
  const prepare = async (data: ProcessorEventData, event: { teamId: string }): Promise<Context> => {
    const scope = scopeOf(data, event);
    const snapshot = readObject(data, readPrice);
    const price = await em.fork().findOne(Price, { ...scope, processorPriceId: snapshot.id });
    if (price) {
      const { id, version } = price;
      const decision = decideOnEvent(price, data.createdAt, isSameContent(price, toContent(snapshot)));
      const fresh = decision === 'reread' ? await (await processors.of(scope.teamId)).findPrice(snapshot.id) : null;
      return { kind: 'existing', id, version, fresh };
    }
    await waitForReservation(em.fork(), scope, snapshot);
    if (await findProduct(em.fork(), scope, snapshot)) return { kind: 'new', product: null };
    const product = await findAtProcessor(await processors.of(scope.teamId), snapshot.productId);
    return product && belongsTo(scope, product, snapshot) ? { kind: 'new', product } : { kind: 'foreign' };
  };

  const handle = async (tx: EntityManager, data: ProcessorEventData, event: { teamId: string }, context: Context) => {
    const publish: Publish = (type, teamId, state) => record(tx, type, teamId, state);
    const scope = scopeOf(data, event);
    const snapshot = readObject(data, readPrice);
    const { createdAt: eventAt } = data;
    if (context.kind === 'existing') return follow({ tx, publish }, scope, { snapshot, createdAt: eventAt }, context);
    if (context.kind === 'foreign')
      return logger.info({ processorPriceId: snapshot.id }, 'price of a foreign product ignored');
    const existing = await findProduct(tx, scope, snapshot);
    if (existing?.deletedAt) return; // a product that was deleted here gets no new prices
    const product =
      existing ??
      (context.product && mirrorProduct(tx, publish, scope, context.product, { eventAt: null, createdAt: now() }));
    if (!product) throw unavailable('The product of the price has changed since.');
    mirrorPrice(tx, publish, scope, snapshot, { productId: product.id, eventAt, createdAt: now() });
  };

  return new Inbox(em, 'catalog-prices', logger)
    .onProcessor('price.created', prepare, handle)
    .onProcessor('price.updated', prepare, handle);
}

/** Brings a price that we have up to the event. */
async function follow(
  { tx, publish }: { tx: EntityManager; publish: Publish },
  scope: ProjectScope,
  { snapshot, createdAt }: { snapshot: PriceSnapshot; createdAt: Date },
  { id, version, fresh }: Extract<Context, { kind: 'existing' }>,
): Promise<void> {
  const price = await lockPriceRow(tx, scope, id);
  if (!isMirrored(price)) return;
  // The context is about the record as it was then.
  if (price.version !== version) throw unavailable('The price has changed since.');
  const received = toContent(snapshot);
  const decision = decideOnEvent(price, createdAt, isSameContent(price, received));
  if (decision === 'ignore') return;
  if (decision === 'reread' && !fresh) throw unavailable('The price has changed since.');
  const current = decision === 'reread' && fresh ? toContent(fresh) : received;
  saveContent(tx, publish, price, current);
  price.processorUpdatedAt = later(price.processorUpdatedAt, createdAt);
  if (isSameContent(current, received)) price.awaitsWebhook = false;
}

/** While the price is being created here, the event waits until it has its id. */
async function waitForReservation(em: EntityManager, scope: ProjectScope, { metadata }: PriceSnapshot): Promise<void> {
  const id = PriceId.schema.safeParse(metadata['priceId']);
  if (!id.success) return;
  const reserved = await em.count(Price, { ...scope, id: id.data, processorPriceId: null });
  if (reserved > 0) throw unavailable('The price is being created.');
}

function findProduct(em: EntityManager, scope: ProjectScope, { productId }: PriceSnapshot): Promise<Product | null> {
  return em.findOne(Product, { ...scope, processorProductId: productId });
}

/** Reads the processor's product; null once it is deleted there. */
async function findAtProcessor(processor: Processor, id: string): Promise<ProductSnapshot | null> {
  try {
    return await processor.findProduct(id);
  } catch (err) {
    if (isMissing(err)) return null;
    throw err;
  }
}

/** Returns whether the product, or else its price, names the project. */
function belongsTo({ projectId }: ProjectScope, product: ProductSnapshot, price: PriceSnapshot): boolean {
  return (product.metadata['projectId'] ?? price.metadata['projectId']) === projectId;
}

function scopeOf({ projectId }: ProcessorEventData, { teamId }: { teamId: string }): ProjectScope {
  return { teamId: TeamId.schema.parse(teamId), projectId };
}
