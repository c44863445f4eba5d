import type { EntityManager } from '@mikro-orm/postgresql';
import { PriceCreated, PriceDeleted, PriceUpdated } from '@billing/contracts/events/catalog';
import type { Publish } from '@billing/messaging/outbox';
import { isSameContent, toState, type PriceContent } from '#domain/price.ts';
import type { MirroredPrice } from '#persistence/price.entity.ts';

/** Publishes that a price was created. */
export function publishCreated(publish: Publish, price: MirroredPrice): void {
  publish(PriceCreated, price.teamId, toState(price));
}

/** Saves what the processor has of a price; publishes it and returns true if anything differs. */
export function saveContent(tx: EntityManager, publish: Publish, price: MirroredPrice, content: PriceContent): boolean {
  if (isSameContent(price, content)) return false;
  tx.assign(price, { ...content, version: price.version + 1 });
  publish(PriceUpdated, price.teamId, toState(price));
  return true;
}

/** Marks a price as deleted, for good, and publishes that. */
export function saveDeleted(tx: EntityManager, publish: Publish, price: MirroredPrice, deletedAt: Date): void {
  tx.assign(price, { deletedAt, version: price.version + 1 });
  publish(PriceDeleted, price.teamId, toState(price));
}
