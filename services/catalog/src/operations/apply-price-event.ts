import type { EntityManager } from '@mikro-orm/postgresql';
import type { Publish } from '@billing/messaging/outbox';
import type { TraceCarrier } from '@billing/tracing/trace-carrier';
import { decideOnEvent, later } from '@billing/processor/event-order';
import type { PriceSnapshot } from '@billing/processor/port';
import { isSameContent, toContent } from '#domain/price.ts';
import type { MirroredPrice } from '#persistence/price.entity.ts';
import { saveContent } from './save-price.ts';

/** The price as it was read at the processor, and the version of its record before that. */
export interface Reread {
  readonly version: number;
  /** `missing` when the processor has deleted it: the event of that follows. */
  readonly snapshot: PriceSnapshot | 'missing';
}

interface PriceEvent {
  readonly snapshot: PriceSnapshot;
  /** When the event happened at the processor. */
  readonly createdAt: Date;
  readonly trace: TraceCarrier;
  readonly reread: Reread | undefined;
}

/**
 * Applies an event to the record of its price. Returns false, with nothing changed, when only the processor knows which
 * state holds, and it was not read since the record last changed.
 */
export function applyPriceEvent(
  tx: EntityManager,
  publish: Publish,
  price: MirroredPrice,
  { snapshot, createdAt, trace, reread }: PriceEvent,
): boolean {
  const received = toContent(snapshot);
  const decision = decideOnEvent(price, createdAt, isSameContent(price, received));
  if (decision === 'ignore') return true;
  if (decision === 'reread' && reread?.version !== price.version) return false;
  const newest = decision === 'reread' && reread ? reread.snapshot : snapshot;
  if (newest === 'missing') return true;
  const current = toContent(newest);
  saveContent(tx, publish, price, current, trace);
  price.processorUpdatedAt = later(price.processorUpdatedAt, createdAt);
  if (isSameContent(current, received)) price.awaitsWebhook = false;
  return true;
}
