import { processorEvent, type ProcessorEventData, type ProcessorEventType } from '@billing/contracts/processor-events';
import { hasEnded } from '@billing/contracts/resources/subscription';
import { consumer, type Consumer } from '@billing/messaging/consumer/consumer';
import type { Delivery } from '@billing/messaging/consumer/delivery';
import { readObject } from '@billing/processor/event-object';
import type { SubscriptionSnapshot } from '@billing/processor/port';
import { readCustomer } from '@billing/processor/snapshots/customer';
import { readListedSubscription } from '@billing/processor/snapshots/subscription';
import { sourceOf } from '@billing/service/event-causes';
import type { Dependencies } from '../dependencies.ts';
import { scopeOf } from '../scope-of.ts';
import { RANK } from './observation.rules.ts';
import {
  applySubscriptionEvents,
  prepareSubscriptionEvent,
  type PreparedSubscription,
  type SubscriptionEvent,
} from './apply-subscription-events.ts';
import { cancelGone, cancelWithCustomers } from './cancel-with-customers.ts';

const RANKS = new Map<ProcessorEventType, number>([
  ['customer.subscription.created', RANK.created],
  ['customer.subscription.updated', RANK.updated],
  ['customer.subscription.paused', RANK.updated],
  ['customer.subscription.resumed', RANK.updated],
  ['customer.subscription.trial_will_end', RANK.updated],
  ['customer.subscription.pending_update_applied', RANK.updated],
  ['customer.subscription.pending_update_expired', RANK.updated],
  ['customer.subscription.deleted', RANK.deleted],
]);
const TRIAL_ENDING = processorEvent('customer.subscription.trial_will_end').name;
const RANKS_BY_NAME = new Map([...RANKS].map(([type, rank]) => [processorEvent(type).name, rank]));

/** Keeps a copy of every subscription at the processor, in whatever order its events arrive. */
export function subscriptionEvents(dependencies: Pick<Dependencies, 'em' | 'rpc' | 'processors' | 'now'>): Consumer {
  const apply = applySubscriptionEvents(dependencies);
  const prepare = prepareSubscriptionEvent(dependencies);
  const cancel = cancelGone(dependencies);
  return consumer('subscriptions-mirror', 'processor.customer.subscription.>').onProcessorEvent([...RANKS.keys()], {
    prepare: delivery => prepare(toEvent({ ...delivery, context: undefined })),
    handle: async (tx, deliveries, publish) => {
      const { gone = [], known = [] } = Object.groupBy(deliveries, it => (isGone(it) ? 'gone' : 'known'));
      const unprepared = await apply(tx, known.map(toEvent), publish);
      await cancel(tx, gone.map(toGone), publish);
      return unprepared.map(({ delivery }) => delivery);
    },
  });
}

type Received = Delivery<ProcessorEventData, PreparedSubscription>;

function toEvent(delivery: Received): SubscriptionEvent & { delivery: Received } {
  const { event, data, context } = delivery;
  const rank = RANKS_BY_NAME.get(event.type) ?? RANK.updated;
  const read = context?.snapshot ?? readObject(data, readListedSubscription);
  const snapshot = rank === RANK.deleted ? ended(read) : read;
  const source = sourceOf(delivery);
  const position = { at: source.at, rank, eventId: data.eventId };
  const reread = context?.reread ?? null;
  const isTrialEnding = event.type === TRIAL_ENDING;
  return {
    delivery,
    scope: scopeOf(delivery),
    snapshot,
    position,
    source,
    reread,
    isRead: data.fromSync,
    isTrialEnding,
  };
}

/** Whether a sync found that the processor has the subscription no more, and nobody knows its last state. */
const isGone = ({ data: { object } }: Received): boolean =>
  object['deleted'] === true && object['created'] === undefined;

function toGone(delivery: Received) {
  const { data } = delivery;
  const source = sourceOf(delivery);
  const position = { at: source.at, rank: RANK.deleted, eventId: data.eventId };
  return { scope: scopeOf(delivery), id: String(data.object['id']), deletedAt: source.at, position, source };
}

/** A deletion is an end, whatever status its object has. */
function ended(snapshot: SubscriptionSnapshot): SubscriptionSnapshot {
  return snapshot.status && hasEnded(snapshot.status) ? snapshot : { ...snapshot, status: 'canceled' };
}

/**
 * Cancels the subscriptions of customers that were deleted at the processor. The customers service owns the event and
 * reports its outcome. A customer that was deleted through our API stays at the processor and is still billed, so
 * `customer.deleted` of the customers service cancels nothing.
 */
export function deletedCustomerEvents(dependencies: Pick<Dependencies, 'now'>): Consumer {
  const cancel = cancelWithCustomers(dependencies);
  return consumer('subscriptions-deleted-customers', 'processor.customer.deleted.v1').on(
    processorEvent('customer.deleted'),
    (tx, deliveries, publish) =>
      cancel(
        tx,
        deliveries.map(delivery => {
          const { data } = delivery;
          const { id } = readObject(data, raw => readCustomer({ ...Object(raw), deleted: true }));
          return { scope: scopeOf(delivery), id, deletedAt: data.createdAt, source: sourceOf(delivery) };
        }),
        publish,
      ),
  );
}
