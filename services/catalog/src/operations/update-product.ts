import type { EntityManager } from '@mikro-orm/postgresql';
import { ProductId, type ProjectScope } from '@billing/contracts/ids';
import type { AuditContext } from '@billing/contracts/resources/audit-entry';
import { withoutEmpty } from '@billing/processor/metadata';
import { STALE, type RemoteOperation } from '@billing/processor/operation-log/operation-kind';
import type { Processor, ProductSnapshot } from '@billing/processor/port';
import { showsChanges } from '@billing/processor/shows-changes';
import { changesOf, recordUnchanged } from '@billing/service/audit';
import { audited, pendingAuditOf } from '@billing/service/audited-operation';
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

async function reread(
  processor: Processor,
  operation: RemoteOperation<z.output<typeof input>>,
  em: EntityManager,
): Promise<Observation> {
  const { version } = await findProduct(em, operation, ProductId.schema.parse(operation.resourceId));
  return { snapshot: await processor.findProduct(operation.input.processorProductId), version };
}

/** Changes a product at the processor. */
export const updateProductKind = audited<z.output<typeof input>, Observation, MirroredProduct>({
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
  reread,
  async findExisting(processor, operation, em) {
    const observation = await reread(processor, operation, em);
    return showsChanges(observation.snapshot, operation.input.changes) ? observation : null;
  },
  cancel: async () => undefined,
});

/**
 * Changes a product at the processor and here; metadata is replaced, an empty description removes it.
 * @throws Problem 404; `processor_error` after a refusal, with nothing changed; `unavailable` when the processor does
 * not respond, and the change is made later
 */
export function updateProduct({ em, outbox, operationLog }: Pick<Dependencies, 'em' | 'outbox' | 'operationLog'>) {
  return async (
    scope: ProjectScope,
    id: ProductId,
    changes: ProductChanges,
    context: AuditContext,
  ): Promise<MirroredProduct> => {
    const current = await findProduct(em.fork(), scope, id);
    const target = { type: 'product', id } as const;
    if (Object.values(changes).every(change => change === undefined)) {
      await recordUnchanged(outbox, scope.teamId, context, target);
      return current;
    }
    return operationLog.perform(updateProductKind, scope, { resourceId: id }, async tx => {
      const product = await lockProduct(tx, scope, id);
      const { processorProductId, version } = product;
      const { description, metadata } = changes;
      const wanted = {
        ...changes,
        ...(description !== undefined && { description: description || null }),
        ...(metadata && { metadata: withoutEmpty(metadata) }),
      };
      const audit = pendingAuditOf(context, { target, changes: changesOf(product, wanted, ['metadata']) });
      return { processorProductId, version, changes: toProcessorChanges(product, changes), audit };
    });
  };
}
