import type { EntityManager } from '@mikro-orm/postgresql';
import { TeamId, type ProductId, type ProjectScope } from '@billing/contracts/ids';
import { unavailable } from '@billing/contracts/problem';
import type { ProcessorEventData } from '@billing/contracts/processor-events';
import { Inbox } from '@billing/messaging/inbox';
import { readObject } from '@billing/processor/event-object';
import type { ProductSnapshot } from '@billing/processor/port';
import { readProduct } from '@billing/processor/snapshots/catalog';
import type { TeamProcessors } from '@billing/processor/team-processors';
import type { Logger } from 'pino';
import { judge, later } from '@billing/processor/event-order';
import { contentOf, isSameContent } from '#domain/product.ts';
import { takeOver } from '#operations/change-product.ts';
import { lockProductRow } from '#operations/find-product.ts';
import { mirrorProduct } from '#operations/mirror-product.ts';
import { isMirrored, Product, type MirroredProduct } from '#persistence/product.entity.ts';

interface ReactionOptions {
  readonly em: EntityManager;
  readonly processors: TeamProcessors;
  readonly logger: Logger;
}

/** What was found out before the transaction: how things stand at the processor, where the event alone can't tell. */
interface Found {
  readonly id: ProductId;
  readonly version: number;
  readonly fresh: ProductSnapshot | null;
}

/** Takes over what the processor says of products: changes of those we know, and new ones that name the project. */
export function reactToProducts({ em, processors, logger }: ReactionOptions): Inbox {
  const look = async (data: ProcessorEventData, event: { teamId: string }): Promise<Found | null> => {
    const scope = scopeOf(data, event);
    const snapshot = readObject(data, readProduct);
    const product = await findByProcessorId(em.fork(), scope, snapshot.id);
    if (!product) {
      await waitForReservation(em.fork(), scope, snapshot);
      return null;
    }
    const { id, version } = product;
    const judgement = judge(product, data.createdAt, isSameContent(product, contentOf(snapshot)));
    const isUnclear = judgement === 'look-again';
    return {
      id,
      version,
      fresh: isUnclear ? await (await processors.of(scope.teamId)).findProduct(snapshot.id) : null,
    };
  };

  const react = async (tx: EntityManager, data: ProcessorEventData, event: { teamId: string }, found: Found | null) => {
    const scope = scopeOf(data, event);
    const snapshot = readObject(data, readProduct);
    if (found) return follow(tx, scope, data.createdAt, snapshot, found);
    if (snapshot.metadata['projectId'] === scope.projectId) mirrorProduct(tx, scope, snapshot, data.createdAt);
    else logger.info({ processorProductId: snapshot.id }, 'product of no project of ours, let pass');
  };

  return new Inbox(em, 'catalog-products', logger)
    .onProcessor('product.created', look, react)
    .onProcessor('product.updated', look, react);
}

async function follow(
  tx: EntityManager,
  scope: ProjectScope,
  createdAt: Date,
  snapshot: ProductSnapshot,
  { id, version, fresh }: Found,
): Promise<void> {
  const product = await lockProductRow(tx, scope, id);
  if (!isMirrored(product)) return;
  // What was found out is about the record as it was then.
  if (product.version !== version) throw unavailable('The product changed meanwhile.');
  const told = contentOf(snapshot);
  const judgement = judge(product, createdAt, isSameContent(product, told));
  if (judgement === 'ignore') return;
  if (judgement === 'look-again' && !fresh) throw unavailable('The product changed meanwhile.');
  const truth = judgement === 'look-again' && fresh ? contentOf(fresh) : told;
  takeOver(tx, product, truth);
  product.processorUpdatedAt = later(product.processorUpdatedAt, createdAt);
  if (isSameContent(truth, told)) product.awaitsEcho = false;
}

/** A product of that name is just being created here: the event is likely about it, and waits until it has its id. */
async function waitForReservation(em: EntityManager, scope: ProjectScope, { name }: ProductSnapshot): Promise<void> {
  const { teamId, projectId } = scope;
  const reserved = await em.count(Product, { teamId, projectId, name, processorProductId: null });
  if (reserved > 0) throw unavailable('A product of this name is just being created.');
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
