import { PriceId, type ProjectScope } from '@billing/contracts/ids';
import { isMissing } from '@billing/processor/errors';
import type { OperationKind } from '@billing/processor/operation-log/operation-kind';
import { z } from 'zod';
import { findPrice, lockPrice } from '#persistence/find-price.ts';
import type { Dependencies } from '../dependencies.ts';
import { saveDeleted } from './save-price.ts';
import { processorIdsOf, updateProcessorPrice } from './update-processor-price.ts';

const input = z.object({ processorPriceId: z.string(), processorProductId: z.string() });

/** Deactivates a price at the processor, which deletes none, and deletes it here. */
export function deletePriceKind(now: () => Date): OperationKind<z.output<typeof input>, void, void> {
  return {
    name: 'delete-price',
    input,
    async send(processor, { input: ids, idempotencyKey }) {
      await updateProcessorPrice(processor, ids, { isActive: false }, idempotencyKey).catch((err: unknown) => {
        if (!isMissing(err)) throw err; // what is gone there needs no deactivating
      });
    },
    async commit(tx, operation, _response, publish) {
      const price = await lockPrice(tx, operation, PriceId.schema.parse(operation.resourceId));
      saveDeleted(tx, publish, price, now());
    },
    cancel: async () => undefined,
  };
}

/**
 * Deactivates a price at the processor and deletes it here, for good. Subscriptions that use it go on.
 * @throws Problem 404; `processor_error` after a refusal; `unavailable` when the processor does not respond, and the
 * price is deleted later
 */
export function deletePrice({ em, operationLog, now }: Dependencies) {
  const kind = deletePriceKind(now);
  return async (scope: ProjectScope, id: PriceId): Promise<void> => {
    await findPrice(em.fork(), scope, id);
    await operationLog.perform(kind, scope, { resourceId: id }, async tx =>
      processorIdsOf(tx, await lockPrice(tx, scope, id)),
    );
  };
}
