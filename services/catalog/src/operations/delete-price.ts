import { PriceId, type ProjectScope } from '@billing/contracts/ids';
import type { AuditContext } from '@billing/contracts/resources/audit-entry';
import { missingOrThrow } from '@billing/processor/errors';
import { audited, pendingAuditOf } from '@billing/service/audited-operation';
import { z } from 'zod';
import { findPrice, lockPrice } from '#persistence/find-price.ts';
import type { Dependencies } from '../dependencies.ts';
import { saveDeleted } from './save-price.ts';
import { processorIdsOf, updateProcessorPrice } from './update-processor-price.ts';

const input = z.object({ processorPriceId: z.string(), processorProductId: z.string() });

/** Deactivates a price at the processor, which deletes none, and deletes it here. */
export function deletePriceKind(now: () => Date) {
  return audited<z.output<typeof input>, 'deactivated', void>({
    name: 'delete-price',
    input,
    async send(processor, { input: ids, idempotencyKey }) {
      // What is gone there needs no deactivating.
      await updateProcessorPrice(processor, ids, { isActive: false }, idempotencyKey).catch(missingOrThrow);
      return 'deactivated';
    },
    async findExisting(processor, { input: { processorPriceId } }) {
      const price = await processor.findPrice(processorPriceId).catch(missingOrThrow);
      return price === 'missing' || !price.isActive ? 'deactivated' : null;
    },
    async commit(tx, operation, _response, publish) {
      const price = await lockPrice(tx, operation, PriceId.schema.parse(operation.resourceId));
      saveDeleted(tx, publish, price, now());
    },
    cancel: async () => undefined,
  });
}

/**
 * Deactivates a price at the processor and deletes it here, for good. Subscriptions that use it go on.
 * @throws Problem 404; `processor_error` after a refusal; `unavailable` when the processor does not respond, and the
 * price is deleted later
 */
export function deletePrice({ em, operationLog, now }: Dependencies) {
  const kind = deletePriceKind(now);
  return async (scope: ProjectScope, id: PriceId, context: AuditContext): Promise<void> => {
    await findPrice(em.fork(), scope, id);
    await operationLog.perform(kind, scope, { resourceId: id }, async tx => {
      const ids = await processorIdsOf(tx, await lockPrice(tx, scope, id));
      return { ...ids, audit: pendingAuditOf(context, { target: { type: 'price', id }, changes: [] }) };
    });
  };
}
