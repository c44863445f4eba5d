import { ProductId, type ProjectScope } from '@billing/contracts/ids';
import { isMissing } from '@billing/processor/errors';
import type { OperationKind } from '@billing/processor/operation-log/operation-kind';
import { z } from 'zod';
import { findProduct, lockProduct } from '#persistence/find-product.ts';
import type { Dependencies } from '../dependencies.ts';
import { saveDeleted } from './save-product.ts';

const input = z.object({ processorProductId: z.string() });

/** Archives a product at the processor, which deletes none that has prices, and deletes it here. */
export function deleteProductKind(now: () => Date): OperationKind<z.output<typeof input>, void, void> {
  return {
    name: 'delete-product',
    input,
    async send(processor, { input: { processorProductId }, idempotencyKey }) {
      await processor.updateProduct(processorProductId, { isActive: false }, idempotencyKey).catch((err: unknown) => {
        if (!isMissing(err)) throw err; // what is gone there needs no archiving
      });
    },
    async commit(tx, operation, _response, publish) {
      const product = await lockProduct(tx, operation, ProductId.schema.parse(operation.resourceId));
      saveDeleted(tx, publish, product, now());
    },
    cancel: async () => undefined,
  };
}

/**
 * Archives a product at the processor and deletes it here, for good. Its prices stay.
 * @throws Problem 404; `processor_error` after a refusal; `unavailable` when the processor does not respond, and the
 * product is deleted later
 */
export function deleteProduct({ em, operationLog, now }: Dependencies) {
  const kind = deleteProductKind(now);
  return async (scope: ProjectScope, id: ProductId): Promise<void> => {
    await findProduct(em.fork(), scope, id);
    await operationLog.perform(kind, scope, { resourceId: id }, async tx => {
      const { processorProductId } = await lockProduct(tx, scope, id);
      return { processorProductId };
    });
  };
}
