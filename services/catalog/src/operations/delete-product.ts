import { ProductId, type ProjectScope } from '@billing/contracts/ids';
import type { AuditContext } from '@billing/contracts/resources/audit-entry';
import { missingOrThrow } from '@billing/processor/errors';
import { audited, pendingAuditOf } from '@billing/service/audited-operation';
import { z } from 'zod';
import { findProduct, lockProduct } from '#persistence/find-product.ts';
import type { Dependencies } from '../dependencies.ts';
import { saveDeleted } from './save-product.ts';

const input = z.object({ processorProductId: z.string() });

/** Archives a product at the processor, which deletes none that has prices, and deletes it here. */
export function deleteProductKind(now: () => Date) {
  return audited<z.output<typeof input>, 'archived', void>({
    name: 'delete-product',
    input,
    async send(processor, { input: { processorProductId }, idempotencyKey }) {
      // What is gone there needs no archiving.
      await processor.updateProduct(processorProductId, { isActive: false }, idempotencyKey).catch(missingOrThrow);
      return 'archived';
    },
    async findExisting(processor, { input: { processorProductId } }) {
      const product = await processor.findProduct(processorProductId).catch(missingOrThrow);
      return product === 'missing' || !product.isActive ? 'archived' : null;
    },
    async commit(tx, operation, _response, publish) {
      const product = await lockProduct(tx, operation, ProductId.schema.parse(operation.resourceId));
      saveDeleted(tx, publish, product, now());
    },
    cancel: async () => undefined,
  });
}

/**
 * Archives a product at the processor and deletes it here, for good. Its prices stay.
 * @throws Problem 404; `processor_error` after a refusal; `unavailable` when the processor does not respond, and the
 * product is deleted later
 */
export function deleteProduct({ em, operationLog, now }: Dependencies) {
  const kind = deleteProductKind(now);
  return async (scope: ProjectScope, id: ProductId, context: AuditContext): Promise<void> => {
    await findProduct(em.fork(), scope, id);
    await operationLog.perform(kind, scope, { resourceId: id }, async tx => {
      const { processorProductId } = await lockProduct(tx, scope, id);
      const audit = pendingAuditOf(context, { target: { type: 'product', id }, changes: [] });
      return { processorProductId, audit };
    });
  };
}
