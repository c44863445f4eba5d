import type { EntityManager } from '@mikro-orm/postgresql';
import { Inbox, type Heard } from '@billing/messaging/inbox';
import { processorEvent, type ProcessorEventData, type ProcessorEventType } from '@billing/contracts/processor-events';
import { readObject } from '@billing/processor/event-object';
import type { SubscriptionSnapshot } from '@billing/processor/port';
import { readSubscription } from '@billing/processor/snapshots/subscription';
import { readCustomer } from '@billing/processor/snapshots/customer';
import { RANK, type Rank } from '#domain/sighting.ts';
import { hasEnded } from '#domain/subscription.ts';
import { endWithCustomer } from '#operations/end-with-customer.ts';
import { followEvents } from '#operations/follow-events.ts';
import { followEvent, lookAtSubscription } from '#operations/follow-subscription.ts';
import type { Dependencies } from '../dependencies.ts';
import { scopeOf } from './processor-event.ts';

const RANKS = {
  'customer.subscription.created': RANK.created,
  'customer.subscription.updated': RANK.updated,
  'customer.subscription.paused': RANK.updated,
  'customer.subscription.resumed': RANK.updated,
  'customer.subscription.trial_will_end': RANK.updated,
  'customer.subscription.deleted': RANK.deleted,
} as const satisfies Partial<Record<ProcessorEventType, Rank>>;

const BY_FACT = new Map(
  (Object.entries(RANKS) as [keyof typeof RANKS, Rank][]).map(([type, rank]) => {
    // an object's keys are typed as string
    const fact = processorEvent(type);
    return [fact.name, { fact, rank }];
  }),
);

/** Mirrors each subscription of the processor, in whatever order its events come. */
export function reactToSubscriptionEvents(dependencies: Dependencies): Inbox {
  const { em, logger } = dependencies;
  const look = lookAtSubscription(dependencies);
  const inbox = new Inbox(em, 'subscriptions-mirror', logger);
  for (const [type, rank] of Object.entries(RANKS) as [keyof typeof RANKS, Rank][]) {
    // an object's keys are typed as string
    inbox.onProcessor(
      type,
      async (data, event) => {
        const { snapshot, moment } = sightingOf(data, rank);
        return { snapshot, moment, looked: await look(scopeOf(data, event), snapshot, moment) };
      },
      (tx, data, event, { snapshot, moment, looked }) =>
        followEvent(tx, scopeOf(data, event), { snapshot, moment }, looked),
    );
  }
  return inbox.together((tx, heard) => followTogether(tx, heard));
}

/** Does what can be done without rpc anybody; an event that cannot be read is left to its own reaction. */
async function followTogether(tx: EntityManager, heard: readonly Heard[]): Promise<readonly Heard[]> {
  const followed = await followEvents(tx, heard.flatMap(readHeard));
  return followed.map(it => it.heard);
}

function readHeard(heard: Heard) {
  const { event, trace } = heard;
  const entry = BY_FACT.get(event.type);
  if (!entry) return [];
  try {
    const data = entry.fact.data.parse(event.data);
    return [{ heard, trace, scope: scopeOf(data, event), ...sightingOf(data, entry.rank) }];
  } catch {
    return [];
  }
}

function sightingOf(data: ProcessorEventData, rank: Rank) {
  const told = readObject(data, readSubscription);
  const snapshot = rank === RANK.deleted ? ended(told) : told;
  return { snapshot, moment: { at: data.createdAt, rank, eventId: data.eventId } };
}

/** Whatever status a deletion names, it is an end. */
function ended(snapshot: SubscriptionSnapshot): SubscriptionSnapshot {
  return snapshot.status && hasEnded(snapshot.status) ? snapshot : { ...snapshot, status: 'canceled' };
}

/**
 * Ends the subscriptions of a customer that was deleted at the processor. The customers service owns the event and
 * settles it. A customer deleted through our API stays at the processor and goes on being billed, so that fact ends
 * nothing.
 */
export function reactToDeletedCustomers({ em, logger }: Dependencies): Inbox {
  return new Inbox(em, 'subscriptions-deleted-customers', logger).on(
    processorEvent('customer.deleted'),
    async (tx, data, event) => {
      const { id } = readObject(data, raw => readCustomer({ ...Object(raw), deleted: true }));
      await endWithCustomer(tx, scopeOf(data, event), id, data.createdAt);
    },
  );
}
