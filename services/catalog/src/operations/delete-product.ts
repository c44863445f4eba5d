import type { EntityManager } from '@mikro-orm/postgresql';
import { ProductId, type ProjectScope } from '@billing/contracts/ids';
import { isMissing } from '@billing/processor/errors';
import { z } from 'zod';
import type { Journal } from '@billing/processor/journal/write-journal';
import type { WriteKind } from '@billing/processor/journal/write-kind';
import { remove } from './change-product.ts';
import { findProduct, lockProduct } from './find-product.ts';

const input = z.object({ processorProductId: z.string() });

/** Archives a product at the processor, which deletes none that has prices, and removes it here. */
export const deleteProductWrite: WriteKind<z.output<typeof input>, void, void> = {
  name: 'delete-product',
  input,
  async send(processor, { input: { processorProductId }, idempotencyKey }) {
    await processor.updateProduct(processorProductId, { isActive: false }, idempotencyKey).catch((err: unknown) => {
      if (!isMissing(err)) throw err; // what is gone there needs no archiving
    });
  },
  async commit(tx, write) {
    remove(tx, await lockProduct(tx, write, ProductId.schema.parse(write.resourceId)), new Date());
  },
  cancel: async () => undefined,
};

/**
 * Archives a product at the processor and removes it here, for good. Its prices stay.
 * @throws Problem 404; `processor_error` after a refusal; `unavailable` when the processor does not answer, and the
 * product is deleted later
 */
export function deleteProduct(em: EntityManager, journal: Journal) {
  return async (scope: ProjectScope, id: ProductId): Promise<void> => {
    await findProduct(em.fork(), scope, id);
    await journal.perform(deleteProductWrite, scope, { resourceId: id }, async tx => {
      const { processorProductId } = await lockProduct(tx, scope, id);
      return { processorProductId };
    });
  };
}
