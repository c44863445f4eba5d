import type { EntityManager } from '@mikro-orm/postgresql';
import { TeamId, type ProductId, type ProjectScope } from '@billing/contracts/ids';
import { unavailable } from '@billing/contracts/problem';
import type { ProcessorEventData } from '@billing/contracts/processor-events';
import { Inbox } from '@billing/messaging/inbox';
import { record, type Publish } from '@billing/messaging/outbox';
import { readObject } from '@billing/processor/event-object';
import { decideOnEvent, later } from '@billing/processor/event-order';
import type { ProductSnapshot } from '@billing/processor/port';
import { readProduct } from '@billing/processor/snapshots/catalog';
import type { TeamProcessors } from '@billing/processor/team-processors';
import type { Logger } from 'pino';
import { isSameContent, toContent } from '#domain/product.ts';
import { mirrorProduct } from '#operations/mirror-product.ts';
import { saveContent } from '#operations/save-product.ts';
import { lockProductRow } from '#persistence/find-product.ts';
import { isMirrored, Product, type MirroredProduct } from '#persistence/product.entity.ts';

interface ProductConsumerOptions {
  readonly em: EntityManager;
  readonly processors: TeamProcessors;
  readonly logger: Logger;
  readonly now: () => Date;
}

/** What was read before the transaction opened; null for a product that is not ours yet. */
interface Context {
  readonly id: ProductId;
  readonly version: number;
  /** The product at the processor, read where the event alone does not decide. */
  readonly fresh: ProductSnapshot | null;
}

/** Follows the processor's products: changes of those we have, and new ones that name the project. */
export function productEvents({ em, processors, logger, now }: ProductConsumerOptions): Inbox {
  const prepare = async (data: ProcessorEventData, event: { teamId: string }): Promise<Context | null> => {
    const scope = scopeOf(data, event);
    const snapshot = readObject(data, readProduct);
    const product = await findByProcessorId(em.fork(), scope, snapshot.id);
    if (!product) {
      await waitForReservation(em.fork(), scope, snapshot);
      return null;
    }
    const { id, version } = product;
    const decision = decideOnEvent(product, data.createdAt, isSameContent(product, toContent(snapshot)));
    const fresh = decision === 'reread' ? await (await processors.of(scope.teamId)).findProduct(snapshot.id) : null;
    return { id, version, fresh };
  };

  const handle = async (
    tx: EntityManager,
    data: ProcessorEventData,
    event: { teamId: string },
    context: Context | null,
  ) => {
    const publish: Publish = (type, teamId, state) => record(tx, type, teamId, state);
    const scope = scopeOf(data, event);
    const snapshot = readObject(data, readProduct);
    if (context) return follow({ tx, publish }, scope, { snapshot, createdAt: data.createdAt }, context);
    if (snapshot.metadata['projectId'] === scope.projectId)
      mirrorProduct(tx, publish, scope, snapshot, { eventAt: data.createdAt, createdAt: now() });
    else logger.info({ processorProductId: snapshot.id }, 'product of another project ignored');
  };

  return new Inbox(em, 'catalog-products', logger)
    .onProcessor('product.created', prepare, handle)
    .onProcessor('product.updated', prepare, handle);
}

/** Brings a product that we have up to the event. */
async function follow(
  { tx, publish }: { tx: EntityManager; publish: Publish },
  scope: ProjectScope,
  { snapshot, createdAt }: { snapshot: ProductSnapshot; createdAt: Date },
  { id, version, fresh }: Context,
): Promise<void> {
  const product = await lockProductRow(tx, scope, id);
  if (!isMirrored(product)) return;
  // The context is about the record as it was then.
  if (product.version !== version) throw unavailable('The product has changed since.');
  const received = toContent(snapshot);
  const decision = decideOnEvent(product, createdAt, isSameContent(product, received));
  if (decision === 'ignore') return;
  if (decision === 'reread' && !fresh) throw unavailable('The product has changed since.');
  const current = decision === 'reread' && fresh ? toContent(fresh) : received;
  saveContent(tx, publish, product, current);
  product.processorUpdatedAt = later(product.processorUpdatedAt, createdAt);
  if (isSameContent(current, received)) product.awaitsWebhook = false;
}

/** While a product of that name is being created here, the event is probably about it, and waits until it has its id. */
async function waitForReservation(em: EntityManager, scope: ProjectScope, { name }: ProductSnapshot): Promise<void> {
  const { teamId, projectId } = scope;
  const reserved = await em.count(Product, { teamId, projectId, name, processorProductId: null });
  if (reserved > 0) throw unavailable('A product of this name is being created.');
}

async function findByProcessorId(
  em: EntityManager,
  { teamId, projectId }: ProjectScope,
  processorProductId: string,
): Promise<MirroredProduct | null> {
  const product = await em.findOne(Product, { teamId, projectId, processorProductId });
  return isMirrored(product) ? product : null;
}

function scopeOf({ projectId }: ProcessorEventData, { teamId }: { teamId: string }): ProjectScope {
  return { teamId: TeamId.schema.parse(teamId), projectId };
}
