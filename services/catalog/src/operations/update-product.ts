import { ProductId, type ProjectScope } from '@billing/contracts/ids';
import { STALE, type OperationKind } from '@billing/processor/operation-log/operation-kind';
import type { ProductSnapshot } from '@billing/processor/port';
import { z } from 'zod';
import { toContent, toProcessorChanges, type ProductChanges } from '#domain/product.ts';
import { findProduct, lockProduct } from '#persistence/find-product.ts';
import type { MirroredProduct } from '#persistence/product.entity.ts';
import type { Dependencies } from '../dependencies.ts';
import { saveContent } from './save-product.ts';

const input = z.object({
  processorProductId: z.string(),
  changes: z.object({
    name: z.string().optional(),
    description: z.string().optional(),
    isActive: z.boolean().optional(),
    metadata: z.record(z.string(), z.string()).optional(),
  }),
  /** The record's version before the processor was called. */
  version: z.int(),
});

interface Observation {
  readonly snapshot: ProductSnapshot;
  /** The record's version before the snapshot was read. */
  readonly version: number;
}

/** Changes a product at the processor. */
export const updateProductKind: OperationKind<z.output<typeof input>, Observation, MirroredProduct> = {
  name: 'update-product',
  input,
  async send(processor, { input: { processorProductId, changes, version }, idempotencyKey }) {
    return { snapshot: await processor.updateProduct(processorProductId, changes, idempotencyKey), version };
  },
  async commit(tx, operation, { snapshot, version }, publish) {
    const product = await lockProduct(tx, operation, ProductId.schema.parse(operation.resourceId));
    // An event came in between; it may carry something newer than this response.
    if (product.version !== version) return STALE;
    if (saveContent(tx, publish, product, toContent(snapshot))) product.awaitsWebhook = true;
    return product;
  },
  async reread(processor, operation, em) {
    const { version } = await findProduct(em, operation, ProductId.schema.parse(operation.resourceId));
    return { snapshot: await processor.findProduct(operation.input.processorProductId), version };
  },
  cancel: async () => undefined,
};

/**
 * Changes a product at the processor and here; metadata is replaced, an empty description removes it.
 * @throws Problem 404; `processor_error` after a refusal, with nothing changed; `unavailable` when the processor does
 * not respond, and the change is made later
 */
export function updateProduct({ em, operationLog }: Pick<Dependencies, 'em' | 'operationLog'>) {
  return async (scope: ProjectScope, id: ProductId, changes: ProductChanges): Promise<MirroredProduct> => {
    const current = await findProduct(em.fork(), scope, id);
    if (Object.values(changes).every(change => change === undefined)) return current;
    return operationLog.perform(updateProductKind, scope, { resourceId: id }, async tx => {
      const product = await lockProduct(tx, scope, id);
      const { processorProductId, version } = product;
      return { processorProductId, version, changes: toProcessorChanges(product, changes) };
    });
  };
}
