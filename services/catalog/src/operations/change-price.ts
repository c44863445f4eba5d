import type { EntityManager } from '@mikro-orm/postgresql';
import { PriceCreated, PriceDeleted, PriceUpdated } from '@billing/contracts/events/catalog';
import { record } from '@billing/messaging/outbox';
import { isSameContent, stateOf, type PriceContent } from '#domain/price.ts';
import type { MirroredPrice } from '#persistence/price.entity.ts';

/** Tells that a price has come into being. */
export function recordCreated(tx: EntityManager, price: MirroredPrice): void {
  record(tx, PriceCreated, price.teamId, stateOf(price));
}

/** Takes over what the processor holds of a price, and tells of it if that is anything new; answers whether it was. */
export function takeOver(tx: EntityManager, price: MirroredPrice, content: PriceContent): boolean {
  if (isSameContent(price, content)) return false;
  tx.assign(price, { ...content, version: price.version + 1 });
  record(tx, PriceUpdated, price.teamId, stateOf(price));
  return true;
}

/** Removes a price for good; its row stays as a tombstone. */
export function remove(tx: EntityManager, price: MirroredPrice, deletedAt: Date): void {
  tx.assign(price, { deletedAt, version: price.version + 1 });
  record(tx, PriceDeleted, price.teamId, stateOf(price));
}
