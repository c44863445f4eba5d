import type { EntityManager } from '@mikro-orm/postgresql';
import { PriceId, type ProjectScope } from '@billing/contracts/ids';
import { unavailable } from '@billing/contracts/problem';
import { INTERVALS, type priceCreate } from '@billing/contracts/resources/price';
import type { PriceSnapshot } from '@billing/processor/port';
import { z } from 'zod';
import { withoutEmpty } from '@billing/processor/metadata';
import { contentOf, productInactive, termsOf } from '#domain/price.ts';
import type { Journal } from '@billing/processor/journal/write-journal';
import type { WriteKind } from '@billing/processor/journal/write-kind';
import { Price } from '#persistence/price.entity.ts';
import { recordCreated } from './change-price.ts';
import { findPrice, isListed, lockPriceRow, type ListedPrice } from './find-price.ts';
import { findProduct } from './find-product.ts';

const input = z.object({
  productId: z.string(),
  unitAmount: z.int(),
  currency: z.string(),
  recurring: z.object({ interval: z.enum(INTERVALS), intervalCount: z.int() }).nullable(),
  metadata: z.record(z.string(), z.string()),
});

/** Creates a price at the processor; until then its row here is reserved and seen by nobody. */
export const createPriceWrite: WriteKind<z.output<typeof input>, PriceSnapshot, ListedPrice> = {
  name: 'create-price',
  input,
  send: (processor, write) => processor.createPrice(write.input, write.idempotencyKey),
  async commit(tx, write, snapshot) {
    const price = await lockPriceRow(tx, write, PriceId.schema.parse(write.resourceId));
    if (!price) throw unavailable('The price is no longer reserved.');
    tx.assign(price, { ...contentOf(snapshot), processorPriceId: snapshot.id });
    if (!isListed(price)) throw new Error('The processor gave the price no id.');
    recordCreated(tx, price);
    return price;
  },
  async cancel(tx, { teamId, projectId, resourceId }) {
    const id = PriceId.schema.parse(resourceId);
    await tx.nativeDelete(Price, { id, teamId, projectId, processorPriceId: null });
  },
};

/**
 * Creates a price of a product, at the processor and here. The same `requestKey` within a day gives the same price.
 * @throws Problem 404 for an unknown product; 422 `product_inactive` for an archived one; `processor_error` after a
 * refusal, with nothing left behind; `unavailable` when the processor does not answer, and the price appears later
 */
export function createPrice(em: EntityManager, journal: Journal) {
  return async (
    scope: ProjectScope,
    { productId, metadata, ...asked }: z.output<typeof priceCreate>,
    requestKey: string | null,
  ): Promise<ListedPrice> => {
    const before = await journal.findRequested(scope, createPriceWrite, requestKey);
    if (before) return findPrice(em.fork(), scope, PriceId.schema.parse(before));
    const id = PriceId.create();
    const terms = termsOf(asked);
    const kept = withoutEmpty(metadata);
    return journal.perform(createPriceWrite, scope, { resourceId: id, requestKey }, async tx => {
      const product = await findProduct(tx, scope, productId);
      if (!product.isActive) throw productInactive();
      tx.create(Price, {
        ...scope,
        ...terms,
        id,
        productId,
        isActive: true,
        metadata: kept,
        processorPriceId: null,
        processorUpdatedAt: null,
        awaitsEcho: true,
        version: 1,
        createdAt: new Date(),
        deletedAt: null,
      });
      const { unitAmount, currency, interval, intervalCount } = terms;
      return {
        productId: product.processorProductId,
        unitAmount,
        currency,
        recurring: interval && intervalCount !== null ? { interval, intervalCount } : null,
        metadata: { ...kept, teamId: scope.teamId, projectId: scope.projectId, priceId: id },
      };
    });
  };
}
