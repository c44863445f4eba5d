import { randomUUID } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import { ProductId, type ProjectScope } from '@billing/contracts/ids';
import { unavailable } from '@billing/contracts/problem';
import type { ProjectObject } from '@billing/database/project-objects';
import type { AuditContext } from '@billing/contracts/resources/audit-entry';
import type { productCreate } from '@billing/contracts/resources/product';
import { withoutEmpty } from '@billing/processor/metadata';
import { changesOf } from '@billing/service/audit';
import { audited, pendingAuditOf } from '@billing/service/audited-operation';
import { derivedId } from '@billing/service/derived-id';
import type { ProductSnapshot } from '@billing/processor/port';
import { z } from 'zod';
import { toContent } from '#domain/product.ts';
import { findCreatedProduct, lockProductRow } from '#persistence/find-product.ts';
import { isMirrored, Product, type MirroredProduct } from '#persistence/product.entity.ts';
import type { Dependencies } from '../dependencies.ts';
import { publishCreated } from './save-product.ts';

const input = z.object({
  name: z.string(),
  description: z.string().optional(),
  metadata: z.record(z.string(), z.string()),
});

/** Creates a product at the processor; until then its row is only reserved and not shown. */
export const createProductKind = audited<z.output<typeof input>, ProductSnapshot, MirroredProduct>({
  name: 'create-product',
  input,
  send: (processor, operation) => processor.createProduct(operation.input, operation.idempotencyKey),
  findExisting: (processor, { id: operationId, createdAt: since }) =>
    processor.findCreatedProduct({ metadata: { operationId }, since }),
  async commit(tx, operation, snapshot, publish) {
    const product = await lockProductRow(tx, operation, ProductId.schema.parse(operation.resourceId));
    if (!product) throw unavailable('The product is no longer reserved.');
    tx.assign(product, { ...toContent(snapshot), processorProductId: snapshot.id });
    if (!isMirrored(product)) throw new Error('The processor gave the product no id.');
    publishCreated(publish, product);
    return product;
  },
  async cancel(tx, { teamId, projectId, resourceId }) {
    const id = ProductId.schema.parse(resourceId);
    await tx.nativeDelete(Product, { id, teamId, projectId, processorProductId: null });
  },
});

/** Returns the id of the product that an operation creates. */
const productIdOf = (operationKey: string): ProductId => derivedId(ProductId, operationKey, 'product');

/** Our id of a product that was created here, by what the processor has of it; none for others. */
export function namedProductIds(scope: ProjectScope, { metadata }: ProductSnapshot): ProjectObject<ProductId>[] {
  const { operationId } = metadata;
  return operationId === undefined ? [] : [{ scope, id: productIdOf(operationId) }];
}

/**
 * Creates a product at the processor and here. The same operation key gives the same product.
 * @throws Problem `processor_error` after a refusal, with nothing left behind; `unavailable` when the processor does
 * not respond, and the product appears later
 */
export function createProduct({ operationLog, now }: Pick<Dependencies, 'operationLog' | 'now'>) {
  return async (
    scope: ProjectScope,
    { name, description, metadata }: z.output<typeof productCreate>,
    context: AuditContext,
    operationKey: string = randomUUID(),
  ): Promise<MirroredProduct> => {
    const id = productIdOf(operationKey);
    const request = {
      resourceId: id,
      operationKey,
      find: (em: EntityManager) => findCreatedProduct(em, scope, id),
    };
    return operationLog.perform(createProductKind, scope, request, async tx => {
      const stored = withoutEmpty(metadata);
      tx.create(Product, {
        ...scope,
        id,
        name,
        description: description || null,
        isActive: true,
        metadata: stored,
        processorProductId: null,
        processorUpdatedAt: null,
        awaitsWebhook: true,
        version: 1,
        createdAt: now(),
        deletedAt: null,
      });
      const { teamId, projectId } = scope;
      const marks = { teamId, projectId, operationId: operationKey };
      const fields = {
        name,
        description: description || null,
        ...(Object.keys(stored).length > 0 && { metadata: stored }),
      };
      const audit = pendingAuditOf(context, {
        target: { type: 'product', id },
        changes: changesOf(null, fields, ['metadata']),
      });
      return { name, ...(description && { description }), metadata: { ...stored, ...marks }, audit };
    });
  };
}
