import type { EntityManager } from '@mikro-orm/postgresql';
import { PriceId, type ProjectScope } from '@billing/contracts/ids';
import type { AuditContext } from '@billing/contracts/resources/audit-entry';
import { withoutEmpty } from '@billing/processor/metadata';
import { STALE, type RemoteOperation } from '@billing/processor/operation-log/operation-kind';
import type { PriceSnapshot, Processor } from '@billing/processor/port';
import { showsChanges } from '@billing/processor/shows-changes';
import { changesOf, recordUnchanged } from '@billing/service/audit';
import { audited, pendingAuditOf } from '@billing/service/audited-operation';
import { z } from 'zod';
import { toContent, toProcessorChanges, type PriceChanges } from '#domain/price.ts';
import { findPrice, lockPrice } from '#persistence/find-price.ts';
import type { MirroredPrice } from '#persistence/price.entity.ts';
import type { Dependencies } from '../dependencies.ts';
import { saveContent } from './save-price.ts';
import { processorIdsOf, updateProcessorPrice } from './update-processor-price.ts';

const input = z.object({
  processorPriceId: z.string(),
  processorProductId: z.string(),
  changes: z.object({
    isActive: z.boolean().optional(),
    metadata: z.record(z.string(), z.string()).optional(),
  }),
  /** The record's version before the processor was called. */
  version: z.int(),
});

interface Observation {
  readonly snapshot: PriceSnapshot;
  /** The record's version before the snapshot was read. */
  readonly version: number;
}

async function reread(
  processor: Processor,
  operation: RemoteOperation<z.output<typeof input>>,
  em: EntityManager,
): Promise<Observation> {
  const { version } = await findPrice(em, operation, PriceId.schema.parse(operation.resourceId));
  return { snapshot: await processor.findPrice(operation.input.processorPriceId), version };
}

/** Changes a price at the processor. */
export const updatePriceKind = audited<z.output<typeof input>, Observation, MirroredPrice>({
  name: 'update-price',
  input,
  async send(processor, { input: { changes, version, ...ids }, idempotencyKey }) {
    return { snapshot: await updateProcessorPrice(processor, ids, changes, idempotencyKey), version };
  },
  async commit(tx, operation, { snapshot, version }, publish) {
    const price = await lockPrice(tx, operation, PriceId.schema.parse(operation.resourceId));
    // An event came in between; it may carry something newer than this response.
    if (price.version !== version) return STALE;
    if (saveContent(tx, publish, price, toContent(snapshot))) price.awaitsWebhook = true;
    return price;
  },
  reread,
  async findExisting(processor, operation, em) {
    const observation = await reread(processor, operation, em);
    return showsChanges(observation.snapshot, operation.input.changes) ? observation : null;
  },
  cancel: async () => undefined,
});

/**
 * Activates or deactivates a price, or replaces its metadata, at the processor and here.
 * @throws Problem 404; `processor_error` after a refusal, with nothing changed; `unavailable` when the processor does
 * not respond, and the change is made later
 */
export function updatePrice({ em, outbox, operationLog }: Pick<Dependencies, 'em' | 'outbox' | 'operationLog'>) {
  return async (
    scope: ProjectScope,
    id: PriceId,
    changes: PriceChanges,
    context: AuditContext,
  ): Promise<MirroredPrice> => {
    const current = await findPrice(em.fork(), scope, id);
    const target = { type: 'price', id } as const;
    if (Object.values(changes).every(change => change === undefined)) {
      await recordUnchanged(outbox, scope.teamId, context, target);
      return current;
    }
    return operationLog.perform(updatePriceKind, scope, { resourceId: id }, async tx => {
      const price = await lockPrice(tx, scope, id);
      const ids = await processorIdsOf(tx, price);
      const { metadata } = changes;
      const wanted = { ...changes, ...(metadata && { metadata: withoutEmpty(metadata) }) };
      const audit = pendingAuditOf(context, { target, changes: changesOf(price, wanted, ['metadata']) });
      return { ...ids, version: price.version, changes: toProcessorChanges(price, changes), audit };
    });
  };
}
