import type { EntityManager } from '@mikro-orm/postgresql';
import type { Publish } from '@billing/messaging/outbox';
import type { TraceCarrier } from '@billing/tracing/trace-carrier';
import { decideOnEvent, later } from '@billing/processor/event-order';
import type { ProductSnapshot } from '@billing/processor/port';
import { isSameContent, toContent } from '#domain/product.ts';
import type { MirroredProduct } from '#persistence/product.entity.ts';
import { saveContent } from './save-product.ts';

/** The product as it was read at the processor, and the version of its record before that. */
export interface Reread {
  readonly version: number;
  /** `missing` when the processor has deleted it: the event of that follows. */
  readonly snapshot: ProductSnapshot | 'missing';
}

interface ProductEvent {
  readonly snapshot: ProductSnapshot;
  /** When the event happened at the processor. */
  readonly createdAt: Date;
  readonly trace: TraceCarrier;
  readonly reread: Reread | null | undefined;
}

/**
 * Applies an event to the record of its product. Returns false, with nothing changed, when only the processor knows
 * which state holds, and it was not read since the record last changed.
 */
export function applyProductEvent(
  tx: EntityManager,
  publish: Publish,
  product: MirroredProduct,
  { snapshot, createdAt, trace, reread }: ProductEvent,
): boolean {
  const received = toContent(snapshot);
  const decision = decideOnEvent(product, createdAt, isSameContent(product, received));
  if (decision === 'ignore') return true;
  if (decision === 'reread' && reread?.version !== product.version) return false;
  const newest = decision === 'reread' && reread ? reread.snapshot : snapshot;
  if (newest === 'missing') return true;
  const current = toContent(newest);
  saveContent(tx, publish, product, current, trace);
  product.processorUpdatedAt = later(product.processorUpdatedAt, createdAt);
  if (isSameContent(current, received)) product.awaitsWebhook = false;
  return true;
}
