import { processorEvent } from '@billing/contracts/processor-events';
import { consumer, type Consumer } from '@billing/messaging/consumer/consumer';
import type { Delivery } from '@billing/messaging/consumer/delivery';
import { scopedKey, type ProjectObject } from '@billing/database/project-objects';
import { missingOrThrow } from '@billing/processor/errors';
import { readObject } from '@billing/processor/event-object';
import { readInvoice } from '@billing/processor/snapshots/invoice';
import { sourceOf } from '@billing/service/event-causes';
import type { ProcessorEventData } from '@billing/contracts/processor-events';
import { readSubscription } from '#operations/read-subscription.ts';
import { saveReads } from '#operations/save-reads.ts';
import { subscriptionRows } from '#persistence/subscription-rows.ts';
import type { Reread } from '#domain/observation.ts';
import type { Dependencies } from '../dependencies.ts';
import { scopeOf } from './scope-of.ts';

const PaymentFailed = processorEvent('invoice.payment_failed');

/**
 * Keeps the reason true why a change waits for its payment: each attempt may fail for another one, and no event of the
 * subscription tells it. The subscription is read again. A consumer of its own does it, so that no invoice waits for it.
 */
export function pendingChanges(dependencies: Pick<Dependencies, 'em' | 'processors' | 'now'>): Consumer {
  const { em, now } = dependencies;
  const read = readSubscription(dependencies);
  return consumer('subscriptions-pending-changes', PaymentFailed.name).on(PaymentFailed, {
    prepare: async (delivery): Promise<Reread | null> => {
      const object = subscriptionOf(delivery);
      const row = object && (await subscriptionRows.find(em.fork(), [object])).get(scopedKey(object));
      if (!object || !row?.pendingChange) return null;
      const reread = await read(object).catch(missingOrThrow);
      return reread === 'missing' ? null : reread;
    },
    handle: async (tx, deliveries, publish) => {
      const objects = deliveries.flatMap(delivery => subscriptionOf(delivery) ?? []);
      const rows = await subscriptionRows.find(tx, objects);
      const waiting = deliveries.filter(delivery => {
        const object = subscriptionOf(delivery);
        return object !== null && rows.get(scopedKey(object))?.pendingChange;
      });
      const reads = waiting.flatMap(delivery => {
        const { context: reread } = delivery;
        const source = sourceOf(delivery);
        return reread ? [{ delivery, scope: scopeOf(delivery), reread, source, becauseOfEvent: true }] : [];
      });
      const { outdated } = await saveReads(tx, reads, { publish, now: now() });
      return [...waiting.filter(({ context }) => context === undefined), ...outdated.map(({ delivery }) => delivery)];
    },
  });
}

function subscriptionOf(delivery: Delivery<ProcessorEventData>): ProjectObject | null {
  const { subscriptionId: id } = readObject(delivery.data, readInvoice);
  return id === null ? null : { scope: scopeOf(delivery), id };
}
