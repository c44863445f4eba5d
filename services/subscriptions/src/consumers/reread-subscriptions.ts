import type { ProcessorEventData } from '@billing/contracts/processor-events';
import { scopedKey, type ProjectObject } from '@billing/database/project-objects';
import type { EventHandler } from '@billing/messaging/consumer/consumer';
import type { Delivery } from '@billing/messaging/consumer/delivery';
import { missingOrThrow } from '@billing/processor/errors';
import { sourceOf } from '@billing/service/event-causes';
import type { Reread } from '#domain/observation.ts';
import { readSubscription } from '#operations/read-subscription.ts';
import { saveReads } from '#operations/save-reads.ts';
import { subscriptionRows } from '#persistence/subscription-rows.ts';
import type { Subscription } from '#persistence/subscription.entity.ts';
import type { Dependencies } from '../dependencies.ts';
import { scopeOf } from './scope-of.ts';

interface Reason {
  /** The processor's id of the subscription that an event concerns; null for none. */
  readonly subscriptionIdOf: (data: ProcessorEventData) => string | null;
  /** Whether the record may not know what the event tells. */
  readonly isNeeded: (row: Subscription, delivery: Delivery<ProcessorEventData>) => boolean;
  /** Whether no event of the subscription need show what is read. */
  readonly isOnlySource: boolean;
}

/** Reads recorded subscriptions again because of events that concern them and do not contain them. */
export function rereadSubscriptions(
  { em, processors, now }: Pick<Dependencies, 'em' | 'processors' | 'now'>,
  { subscriptionIdOf, isNeeded, isOnlySource }: Reason,
): EventHandler<ProcessorEventData, Reread | 'missing' | null> {
  const read = readSubscription({ em, processors, now });
  const objectOf = (delivery: Delivery<ProcessorEventData>): ProjectObject | null => {
    const id = subscriptionIdOf(delivery.data);
    return id === null ? null : { scope: scopeOf(delivery), id };
  };
  return {
    prepare: async delivery => {
      const object = objectOf(delivery);
      const row = object && (await subscriptionRows.find(em.fork(), [object])).get(scopedKey(object));
      if (!object || !row || !isNeeded(row, delivery)) return null;
      return read(object).catch(missingOrThrow);
    },
    handle: async (tx, deliveries, publish) => {
      const rows = await subscriptionRows.find(
        tx,
        deliveries.flatMap(delivery => objectOf(delivery) ?? []),
      );
      const waiting = deliveries.filter(delivery => {
        const object = objectOf(delivery);
        const row = object && rows.get(scopedKey(object));
        return row ? isNeeded(row, delivery) : false;
      });
      const reads = waiting.flatMap(delivery => {
        const { context: reread } = delivery;
        const source = sourceOf(delivery);
        return reread && reread !== 'missing'
          ? [{ delivery, scope: scopeOf(delivery), reread, source, becauseOfEvent: !isOnlySource }]
          : [];
      });
      const { outdated } = await saveReads(tx, reads, { publish, now: now() });
      return [...waiting.filter(({ context }) => !context), ...outdated.map(({ delivery }) => delivery)];
    },
  };
}
