import type { EntityManager } from '@mikro-orm/postgresql';
import { PriceCreated, PriceDeleted, PriceUpdated } from '@billing/contracts/events/catalog';
import type { Publish } from '@billing/messaging/outbox';
import type { TraceCarrier } from '@billing/tracing/trace-carrier';
import { isSameContent, toState, type PriceContent } from '#domain/price.ts';
import type { MirroredPrice } from '#persistence/price.entity.ts';

/** Publishes that a price was created. */
export function publishCreated(publish: Publish, price: MirroredPrice, trace?: TraceCarrier): void {
  publish(PriceCreated, price.teamId, toState(price), trace);
}

/** Saves what the processor has of a price; publishes it and returns true if anything differs. */
export function saveContent(
  tx: EntityManager,
  publish: Publish,
  price: MirroredPrice,
  content: PriceContent,
  trace?: TraceCarrier,
): boolean {
  if (isSameContent(price, content)) return false;
  tx.assign(price, { ...content, version: price.version + 1 });
  publish(PriceUpdated, price.teamId, toState(price), trace);
  return true;
}

/** Marks a price as deleted, for good, and publishes that. */
export function saveDeleted(
  tx: EntityManager,
  publish: Publish,
  price: MirroredPrice,
  deletedAt: Date,
  trace?: TraceCarrier,
): void {
  tx.assign(price, { deletedAt, version: price.version + 1 });
  publish(PriceDeleted, price.teamId, toState(price), trace);
}
