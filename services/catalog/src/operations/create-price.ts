import { randomUUID } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import { PriceId, type ProjectScope } from '@billing/contracts/ids';
import { unavailable } from '@billing/contracts/problem';
import { INTERVALS, type priceCreate } from '@billing/contracts/resources/price';
import { withoutEmpty } from '@billing/processor/metadata';
import { derivedId } from '@billing/processor/operation-log/derived-id';
import type { OperationKind } from '@billing/processor/operation-log/operation-kind';
import type { PriceSnapshot } from '@billing/processor/port';
import { z } from 'zod';
import { newTerms, productInactive, toContent } from '#domain/price.ts';
import { findCreatedPrice, lockPriceRow } from '#persistence/find-price.ts';
import { findProduct } from '#persistence/find-product.ts';
import { isListed, Price, type ListedPrice } from '#persistence/price.entity.ts';
import type { Dependencies } from '../dependencies.ts';
import { publishCreated } from './save-price.ts';

const input = z.object({
  productId: z.string(),
  unitAmount: z.int(),
  currency: z.string(),
  recurring: z.object({ interval: z.enum(INTERVALS), intervalCount: z.int() }).nullable(),
  metadata: z.record(z.string(), z.string()),
});

/** Creates a price at the processor; until then its row is only reserved and not shown. */
export const createPriceKind: OperationKind<z.output<typeof input>, PriceSnapshot, ListedPrice> = {
  name: 'create-price',
  input,
  send: (processor, operation) => processor.createPrice(operation.input, operation.idempotencyKey),
  async commit(tx, operation, snapshot, publish) {
    const price = await lockPriceRow(tx, operation, PriceId.schema.parse(operation.resourceId));
    if (!price) throw unavailable('The price is no longer reserved.');
    tx.assign(price, { ...toContent(snapshot), processorPriceId: snapshot.id });
    if (!isListed(price)) throw new Error('The processor gave the price no id.');
    publishCreated(publish, price);
    return price;
  },
  async cancel(tx, { teamId, projectId, resourceId }) {
    const id = PriceId.schema.parse(resourceId);
    await tx.nativeDelete(Price, { id, teamId, projectId, processorPriceId: null });
  },
};

/**
 * Creates a price of a product, at the processor and here. The same operation key gives the same price.
 * @throws Problem 404 for an unknown product; 422 `product_inactive` for an archived one; `processor_error` after a
 * refusal, with nothing left behind; `unavailable` when the processor does not respond, and the price appears later
 */
export function createPrice({ operationLog, now }: Pick<Dependencies, 'operationLog' | 'now'>) {
  return async (
    scope: ProjectScope,
    { productId, metadata, ...requested }: z.output<typeof priceCreate>,
    operationKey: string = randomUUID(),
  ): Promise<ListedPrice> => {
    const id = derivedId(PriceId, operationKey, 'price');
    const request = {
      resourceId: id,
      operationKey,
      find: (em: EntityManager) => findCreatedPrice(em, scope, id),
    };
    return operationLog.perform(createPriceKind, scope, request, async tx => {
      const product = await findProduct(tx, scope, productId);
      if (!product.isActive) throw productInactive();
      const terms = newTerms(requested);
      const stored = withoutEmpty(metadata);
      tx.create(Price, {
        ...scope,
        ...terms,
        id,
        productId,
        isActive: true,
        metadata: stored,
        processorPriceId: null,
        processorUpdatedAt: null,
        awaitsWebhook: true,
        version: 1,
        createdAt: now(),
        deletedAt: null,
      });
      const { unitAmount, currency, interval, intervalCount } = terms;
      return {
        productId: product.processorProductId,
        unitAmount,
        currency,
        recurring: interval && intervalCount !== null ? { interval, intervalCount } : null,
        metadata: { ...stored, teamId: scope.teamId, projectId: scope.projectId, priceId: id },
      };
    });
  };
}
