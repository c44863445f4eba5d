import type { EntityManager } from '@mikro-orm/postgresql';
import { PriceId, type ProductId, type ProjectScope } from '@billing/contracts/ids';
import type { PriceSnapshot } from '@billing/processor/port';
import { contentOf, snapshotTerms } from '#domain/price.ts';
import { isMirrored, Price } from '#persistence/price.entity.ts';
import { recordCreated } from './change-price.ts';

/** Adds a price that was made at the processor; `toldAt` is when the event that tells of it happened. */
export function mirrorPrice(
  tx: EntityManager,
  scope: ProjectScope,
  productId: ProductId,
  snapshot: PriceSnapshot,
  toldAt: Date,
): void {
  const price = tx.create(Price, {
    ...scope,
    ...contentOf(snapshot),
    ...snapshotTerms(snapshot),
    id: PriceId.create(),
    productId,
    processorPriceId: snapshot.id,
    processorUpdatedAt: toldAt,
    awaitsEcho: false,
    version: 1,
    createdAt: new Date(),
    deletedAt: null,
  });
  if (!isMirrored(price)) throw new Error('The processor gave the price no id.');
  recordCreated(tx, price);
}
