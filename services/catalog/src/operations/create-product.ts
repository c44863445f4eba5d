import type { EntityManager } from '@mikro-orm/postgresql';
import { ProductId, type ProjectScope } from '@billing/contracts/ids';
import { unavailable } from '@billing/contracts/problem';
import type { productCreate } from '@billing/contracts/resources/product';
import type { ProductSnapshot } from '@billing/processor/port';
import { z } from 'zod';
import { withoutEmpty } from '@billing/processor/metadata';
import { contentOf } from '#domain/product.ts';
import type { Journal } from '@billing/processor/journal/write-journal';
import type { WriteKind } from '@billing/processor/journal/write-kind';
import { isMirrored, Product, type MirroredProduct } from '#persistence/product.entity.ts';
import { recordCreated } from './change-product.ts';
import { findProduct, lockProductRow } from './find-product.ts';

const input = z.object({
  name: z.string(),
  description: z.string().optional(),
  metadata: z.record(z.string(), z.string()),
});

/** Creates a product at the processor; until then its row here is reserved and seen by nobody. */
export const createProductWrite: WriteKind<z.output<typeof input>, ProductSnapshot, MirroredProduct> = {
  name: 'create-product',
  input,
  send: (processor, write) => processor.createProduct(write.input, write.idempotencyKey),
  async commit(tx, write, snapshot) {
    const product = await lockProductRow(tx, write, ProductId.schema.parse(write.resourceId));
    if (!product) throw unavailable('The product is no longer reserved.');
    tx.assign(product, { ...contentOf(snapshot), processorProductId: snapshot.id });
    if (!isMirrored(product)) throw new Error('The processor gave the product no id.');
    recordCreated(tx, product);
    return product;
  },
  async cancel(tx, { teamId, projectId, resourceId }) {
    const id = ProductId.schema.parse(resourceId);
    await tx.nativeDelete(Product, { id, teamId, projectId, processorProductId: null });
  },
};

/**
 * Creates a product at the processor and here. The same `requestKey` within a day gives the same product.
 * @throws Problem `processor_error` after a refusal, with nothing left behind; `unavailable` when the processor does
 * not answer, and the product appears later
 */
export function createProduct(em: EntityManager, journal: Journal) {
  return async (
    scope: ProjectScope,
    { name, description, metadata }: z.output<typeof productCreate>,
    requestKey: string | null,
  ): Promise<MirroredProduct> => {
    const before = await journal.findRequested(scope, createProductWrite, requestKey);
    if (before) return findProduct(em.fork(), scope, ProductId.schema.parse(before));
    const id = ProductId.create();
    const kept = withoutEmpty(metadata);
    return journal.perform(createProductWrite, scope, { resourceId: id, requestKey }, async tx => {
      tx.create(Product, {
        ...scope,
        id,
        name,
        description: description || null,
        isActive: true,
        metadata: kept,
        processorProductId: null,
        processorUpdatedAt: null,
        awaitsEcho: true,
        version: 1,
        createdAt: new Date(),
        deletedAt: null,
      });
      const routing = { teamId: scope.teamId, projectId: scope.projectId };
      return { name, ...(description && { description }), metadata: { ...kept, ...routing } };
    });
  };
}
