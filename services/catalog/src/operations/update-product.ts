import type { EntityManager } from '@mikro-orm/postgresql';
import { ProductId, type ProjectScope } from '@billing/contracts/ids';
import type { ProductSnapshot } from '@billing/processor/port';
import { z } from 'zod';
import { changesAtProcessor, contentOf, type ProductChanges } from '#domain/product.ts';
import type { Journal } from '@billing/processor/journal/write-journal';
import { OUTDATED, type WriteKind } from '@billing/processor/journal/write-kind';
import type { MirroredProduct } from '#persistence/product.entity.ts';
import { takeOver } from './change-product.ts';
import { findProduct, lockProduct } from './find-product.ts';

const input = z.object({
  processorProductId: z.string(),
  changes: z.object({
    name: z.string().optional(),
    description: z.string().optional(),
    isActive: z.boolean().optional(),
    metadata: z.record(z.string(), z.string()).optional(),
  }),
  /** The record's version when the processor was asked. */
  version: z.int(),
});

interface Answer {
  readonly snapshot: ProductSnapshot;
  readonly version: number;
}

/** Changes a product at the processor. */
export const updateProductWrite: WriteKind<z.output<typeof input>, Answer, MirroredProduct> = {
  name: 'update-product',
  input,
  async send(processor, { input: { processorProductId, changes, version }, idempotencyKey }) {
    return { snapshot: await processor.updateProduct(processorProductId, changes, idempotencyKey), version };
  },
  async commit(tx, write, { snapshot, version }) {
    const product = await lockProduct(tx, write, ProductId.schema.parse(write.resourceId));
    // An event came in between: it may tell of something newer than this answer.
    if (product.version !== version) return OUTDATED;
    if (takeOver(tx, product, contentOf(snapshot))) product.awaitsEcho = true;
    return product;
  },
  async lookAgain(processor, write, em) {
    const { version } = await findProduct(em, write, ProductId.schema.parse(write.resourceId));
    return { snapshot: await processor.findProduct(write.input.processorProductId), version };
  },
  cancel: async () => undefined,
};

/**
 * Changes a product at the processor and here; metadata replaces what there was, an empty description removes it.
 * @throws Problem 404; `processor_error` after a refusal, with nothing changed; `unavailable` when the processor does
 * not answer, and the change is made later
 */
export function updateProduct(em: EntityManager, journal: Journal) {
  return async (scope: ProjectScope, id: ProductId, changes: ProductChanges): Promise<MirroredProduct> => {
    const current = await findProduct(em.fork(), scope, id);
    if (Object.values(changes).every(change => change === undefined)) return current;
    return journal.perform(updateProductWrite, scope, { resourceId: id }, async tx => {
      const product = await lockProduct(tx, scope, id);
      const { processorProductId, version } = product;
      return { processorProductId, version, changes: changesAtProcessor(product, changes) };
    });
  };
}
