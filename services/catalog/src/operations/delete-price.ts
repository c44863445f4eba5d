import type { EntityManager } from '@mikro-orm/postgresql';
import { PriceId, type ProjectScope } from '@billing/contracts/ids';
import { isMissing } from '@billing/processor/errors';
import { z } from 'zod';
import type { Journal } from '@billing/processor/journal/write-journal';
import type { WriteKind } from '@billing/processor/journal/write-kind';
import { remove } from './change-price.ts';
import { changeAtProcessor, idsAtProcessor } from './change-price-at-processor.ts';
import { findPrice, lockPrice } from './find-price.ts';

const input = z.object({ processorPriceId: z.string(), processorProductId: z.string() });

/** Deactivates a price at the processor, which deletes none, and removes it here. */
export const deletePriceWrite: WriteKind<z.output<typeof input>, void, void> = {
  name: 'delete-price',
  input,
  async send(processor, { input: ids, idempotencyKey }) {
    await changeAtProcessor(processor, ids, { isActive: false }, idempotencyKey).catch((err: unknown) => {
      if (!isMissing(err)) throw err; // what is gone there needs no deactivating
    });
  },
  async commit(tx, write) {
    remove(tx, await lockPrice(tx, write, PriceId.schema.parse(write.resourceId)), new Date());
  },
  cancel: async () => undefined,
};

/**
 * Deactivates a price at the processor and removes it here, for good. Subscriptions that use it go on.
 * @throws Problem 404; `processor_error` after a refusal; `unavailable` when the processor does not answer, and the
 * price is deleted later
 */
export function deletePrice(em: EntityManager, journal: Journal) {
  return async (scope: ProjectScope, id: PriceId): Promise<void> => {
    await findPrice(em.fork(), scope, id);
    await journal.perform(deletePriceWrite, scope, { resourceId: id }, async tx =>
      idsAtProcessor(tx, await lockPrice(tx, scope, id)),
    );
  };
}
