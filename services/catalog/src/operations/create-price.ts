import { randomUUID } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import { PriceId, type ProjectScope } from '@billing/contracts/ids';
import { unavailable } from '@billing/contracts/problem';
import type { AuditContext } from '@billing/contracts/resources/audit-entry';
import { INTERVALS, type priceCreate } from '@billing/contracts/resources/price';
import { withoutEmpty } from '@billing/processor/metadata';
import { changesOf } from '@billing/service/audit';
import { audited, pendingAuditOf } from '@billing/service/audited-operation';
import { derivedId } from '@billing/service/derived-id';
import type { PriceSnapshot } from '@billing/processor/port';
import { z } from 'zod';
import { newTerms, productInactive, toContent } from '#domain/price.ts';
import { findCreatedPrice, lockPriceRow } from '#persistence/find-price.ts';
import { findProduct } from '#persistence/find-product.ts';
import { isMirrored, Price, type MirroredPrice } from '#persistence/price.entity.ts';
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
export const createPriceKind = audited<z.output<typeof input>, PriceSnapshot, MirroredPrice>({
  name: 'create-price',
  input,
  send: (processor, operation) => processor.createPrice(operation.input, operation.idempotencyKey),
  findExisting: (processor, { resourceId: priceId, input: { productId }, createdAt: since }) =>
    processor.findCreatedPrice(productId, { metadata: { priceId }, since }),
  async commit(tx, operation, snapshot, publish) {
    const price = await lockPriceRow(tx, operation, PriceId.schema.parse(operation.resourceId));
    if (!price) throw unavailable('The price is no longer reserved.');
    tx.assign(price, { ...toContent(snapshot), processorPriceId: snapshot.id });
    if (!isMirrored(price)) throw new Error('The processor gave the price no id.');
    publishCreated(publish, price);
    return price;
  },
  async cancel(tx, { teamId, projectId, resourceId }) {
    const id = PriceId.schema.parse(resourceId);
    await tx.nativeDelete(Price, { id, teamId, projectId, processorPriceId: null });
  },
});

/**
 * Creates a price of a product, at the processor and here. The same operation key gives the same price.
 * @throws Problem 404 for an unknown product; 422 `product_inactive` for an archived one; `processor_error` after a
 * refusal, with nothing left behind; `unavailable` when the processor does not respond, and the price appears later
 */
export function createPrice({ operationLog, now }: Pick<Dependencies, 'operationLog' | 'now'>) {
  return async (
    scope: ProjectScope,
    { productId, metadata, ...requested }: z.output<typeof priceCreate>,
    context: AuditContext,
    operationKey: string = randomUUID(),
  ): Promise<MirroredPrice> => {
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
        unitAmountDecimal: String(terms.unitAmount),
        billingScheme: 'per_unit',
        metered: false,
        processorPriceId: null,
        processorUpdatedAt: null,
        awaitsWebhook: true,
        version: 1,
        createdAt: now(),
        deletedAt: null,
      });
      const { unitAmount, currency, interval, intervalCount } = terms;
      const fields = { productId, ...terms, ...(Object.keys(stored).length > 0 && { metadata: stored }) };
      const audit = pendingAuditOf(context, {
        target: { type: 'price', id },
        changes: changesOf(null, fields, ['metadata']),
      });
      return {
        productId: product.processorProductId,
        unitAmount,
        currency,
        recurring: interval && intervalCount !== null ? { interval, intervalCount } : null,
        metadata: { ...stored, teamId: scope.teamId, projectId: scope.projectId, priceId: id },
        audit,
      };
    });
  };
}
