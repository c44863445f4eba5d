import type { EntityManager } from '@mikro-orm/postgresql';
import { PriceId, type ProjectScope } from '@billing/contracts/ids';
import type { PriceSnapshot } from '@billing/processor/port';
import { z } from 'zod';
import { changesAtProcessor, contentOf, type PriceChanges } from '#domain/price.ts';
import type { Journal } from '@billing/processor/journal/write-journal';
import { OUTDATED, type WriteKind } from '@billing/processor/journal/write-kind';
import { takeOver } from './change-price.ts';
import { changeAtProcessor, idsAtProcessor } from './change-price-at-processor.ts';
import { findPrice, lockPrice, type ListedPrice } from './find-price.ts';

const input = z.object({
  processorPriceId: z.string(),
  processorProductId: z.string(),
  changes: z.object({
    isActive: z.boolean().optional(),
    metadata: z.record(z.string(), z.string()).optional(),
  }),
  /** The record's version when the processor was asked. */
  version: z.int(),
});

interface Answer {
  readonly snapshot: PriceSnapshot;
  readonly version: number;
}

/** Changes a price at the processor. */
export const updatePriceWrite: WriteKind<z.output<typeof input>, Answer, ListedPrice> = {
  name: 'update-price',
  input,
  async send(processor, { input: { changes, version, ...ids }, idempotencyKey }) {
    return { snapshot: await changeAtProcessor(processor, ids, changes, idempotencyKey), version };
  },
  async commit(tx, write, { snapshot, version }) {
    const price = await lockPrice(tx, write, PriceId.schema.parse(write.resourceId));
    // An event came in between: it may tell of something newer than this answer.
    if (price.version !== version) return OUTDATED;
    if (takeOver(tx, price, contentOf(snapshot))) price.awaitsEcho = true;
    return price;
  },
  async lookAgain(processor, write, em) {
    const { version } = await findPrice(em, write, PriceId.schema.parse(write.resourceId));
    return { snapshot: await processor.findPrice(write.input.processorPriceId), version };
  },
  cancel: async () => undefined,
};

/**
 * Activates or deactivates a price, or replaces its metadata, at the processor and here.
 * @throws Problem 404; `processor_error` after a refusal, with nothing changed; `unavailable` when the processor does
 * not answer, and the change is made later
 */
export function updatePrice(em: EntityManager, journal: Journal) {
  return async (scope: ProjectScope, id: PriceId, changes: PriceChanges): Promise<ListedPrice> => {
    const current = await findPrice(em.fork(), scope, id);
    if (Object.values(changes).every(change => change === undefined)) return current;
    return journal.perform(updatePriceWrite, scope, { resourceId: id }, async tx => {
      const price = await lockPrice(tx, scope, id);
      const ids = await idsAtProcessor(tx, price);
      return { ...ids, version: price.version, changes: changesAtProcessor(price, changes) };
    });
  };
}
