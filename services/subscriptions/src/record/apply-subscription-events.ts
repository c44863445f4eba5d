import type { EntityManager } from '@mikro-orm/postgresql';
import type { ProjectScope } from '@billing/contracts/ids';
import type { Publish } from '@billing/messaging/outbox';
import type { ShownState } from '@billing/contracts/events/subscriptions';
import { sortByPosition } from '@billing/processor/event-order';
import { missingOrThrow } from '@billing/processor/errors';
import { complete } from '@billing/processor/stripe/pending-payment';
import type { SubscriptionSnapshot } from '@billing/processor/port';
import { isIncomplete, lacksSchedule } from '@billing/processor/snapshots/subscription';
import { lacksDiscounts } from '@billing/processor/snapshots/subscription-discounts';
import { scopedKey, type ProjectObject } from '@billing/database/project-objects';
import type { Source } from '@billing/service/save-record';
import { findCustomers, findDeletions, findDiscounted, type CustomerReference } from '#copies/find-customers';
import { findCatalogIds, type CatalogIds, type CatalogObject } from '#copies/find-catalog-ids';
import { fetchCustomer } from '#copies/fetch-customer';
import { linkInvoices, lockWaitingInvoices } from '#money/link-invoices';
import type { Dependencies } from '../dependencies.ts';
import { applyObservations, type Observation } from './apply-observations.rules.ts';
import { withCurrentDiscounts } from './discount.rules.ts';
import type { RecordedState, Reread } from './observation.rules.ts';
import { shownByEvent, shownByReading } from './shown-states.rules.ts';
import { canceledAt, readTerms, withRecorded } from './subscription.rules.ts';
import { addShownStates } from './shown-states.ts';
import { subscriptionRows } from './subscription-rows.ts';
import { toState, type Subscription } from './subscription.entity.ts';
import { readSubscription } from './read-subscription.ts';
import { assignState, namedInCatalog, newSubscription, recordedState } from './recorded-state.ts';
import { announceTrialEnd, saveSubscriptions, type SavedSubscription } from './save.ts';

/** An event of a processor's subscription that was routed to a project. */
export interface SubscriptionEvent extends Observation {
  readonly scope: ProjectScope;
  readonly source: Source;
  /** Whether it is about a trial that ends soon. */
  readonly isTrialEnding: boolean;
}

/** What `prepareSubscriptionEvent` returns. */
export interface PreparedSubscription {
  /** The event's snapshot with the amounts that only the processor knows. */
  readonly snapshot: SubscriptionSnapshot;
  readonly reread: Reread | 'missing' | null;
}

/** A new subscription's row, and the event that it was created from. */
interface Created<Event> {
  readonly row: Subscription;
  readonly from: Event;
  /** When the customer was deleted at the processor, if it was: that ended its subscriptions. */
  readonly customerDeletedAt: Date | undefined;
}

/**
 * Applies events to the subscriptions they are about. Every order of delivery leads to the same record
 * (`observation.rules.ts`) and the same set of states that were shown. Events of one subscription are applied in the order of
 * their positions, and what they change together is published once, with every state that is new.
 *
 * Returns the events that need `prepareSubscriptionEvent` first: the customer has no copy here, or the processor must be
 * read, for the state, for an amount in the subscription's currency, or for a discount, also one of the customer.
 * @throws Error for a status that this service does not know, if the subscription has no record
 */
export function applySubscriptionEvents({ now }: Pick<Dependencies, 'now'>) {
  return async <Event extends SubscriptionEvent>(
    tx: EntityManager,
    events: readonly Event[],
    publish: Publish,
  ): Promise<Event[]> => {
    const catalogIds = await findCatalogIds(tx, events.flatMap(namedInEvent));
    const subscriptions = events.map(toObject);
    await subscriptionRows.lock(tx, subscriptions);
    const rows = await subscriptionRows.find(tx, subscriptions);
    const rowOfEvent = (event: SubscriptionEvent) => rows.get(scopedKey(toObject(event)));
    const all = events.map(event => withRecordedDetails(event, rowOfEvent(event)));
    const isReadable = (event: Event) => !isIncomplete(event.snapshot) && !isScheduleUnknown(event, rowOfEvent(event));
    const { true: readable = [], false: unreadable = [] } = Object.groupBy(
      all,
      event => `${isReadable(event)}` as const,
    );
    const eventsByKey = Map.groupBy(readable, event => scopedKey(toObject(event)));

    const missing = [...eventsByKey].filter(([key]) => !rows.has(key)).map(([, ofOne]) => ofOne);
    const waiting = await lockWaitingInvoices(
      tx,
      missing.flatMap(ofOne => ofOne.slice(0, 1).map(toObject)),
    );
    const created = await createSubscriptions(tx, missing, { catalogIds, now: now() });
    const rowOf = (key: string) => rows.get(key) ?? created.get(key)?.row;
    const shownStates = await addShownStates(
      tx,
      [...eventsByKey].flatMap(([key, ofOne]) => {
        const subscription = rowOf(key);
        return subscription ? [{ subscription, states: ofOne.flatMap(shownBy) }] : [];
      }),
    );
    const saved: SavedSubscription[] = [];
    const unprepared: Event[] = [...unreadable];
    for (const [key, ofOne] of eventsByKey) {
      const creation = created.get(key);
      const row = rowOf(key);
      const [first] = ofOne;
      if (!row || !first) {
        unprepared.push(...ofOne);
        continue;
      }
      const shown = shownStates.get(row.id) ?? [];
      const before = creation ? null : toState(row);
      const recorded = recordedState(row);
      const applied = applyObservations({ state: recorded, version: row.version }, ofOne);
      unprepared.push(...applied.unprepared);
      const { state, cause } = endWithCustomer(applied, creation);
      assignState(row, { recorded, state }, catalogIds);
      const ending = ofOne.find(event => event.isTrialEnding && announceTrialEnd(row, event.snapshot.trialEnd));
      const isChanged = creation !== undefined || state !== recorded || ending !== undefined;
      // An older event that changes the record no more still shows what it was.
      if (!isChanged && shown.length === 0) continue;
      const { source } = cause ?? ending ?? creation?.from ?? first;
      const isTrialEnding = ending !== undefined;
      saved.push({ row, before, source, shown, isChanged, fromSync: creation?.from.isRead, isTrialEnding });
    }
    await saveSubscriptions(tx, publish, saved, now());
    const recordedNow = [...created.values()].map(({ row, from }) => ({ row, source: from.source }));
    await linkInvoices(tx, waiting, recordedNow, { publish, now: now() });
    return unprepared;
  };
}

/**
 * Finds out, outside of any transaction, what the event does not carry: the customer of a new subscription, whose copy is
 * saved then, or the state of a recorded one at the processor; and what its object lacks. Discounts that the subscription
 * has no more by then are left out: nobody can know what they were.
 */
export function prepareSubscriptionEvent(dependencies: Pick<Dependencies, 'em' | 'rpc' | 'processors' | 'now'>) {
  const fetch = fetchCustomer(dependencies);
  const read = readSubscription(dependencies);
  const { em, processors } = dependencies;
  return async (event: SubscriptionEvent): Promise<PreparedSubscription> => {
    const { scope } = event;
    const object = toObject(event);
    const rows = await subscriptionRows.find(em.fork(), [object]);
    const row = rows.get(scopedKey(object));
    const known = withRecordedDetails(event, row).snapshot;
    if (!row) await fetch(referenceOf(scope, known));
    const isDiscounted = !row && (await findDiscounted(em.fork(), [{ scope, id: known.customerId }])).size > 0;
    const isRead = row || isDiscounted || lacksDiscounts(known);
    const reread = isRead ? await read(object).catch(missingOrThrow) : null;
    const discounted = reread ? withCurrentDiscounts(known, currentOf(reread), row === undefined) : known;
    const isWhole = !isIncomplete(discounted) && !lacksSchedule(discounted);
    const snapshot = isWhole ? discounted : await complete(discounted, await processors.of(scope.teamId));
    return { snapshot, reread: row ? reread : null };
  };
}

/** A subscription whose customer was deleted before it became known ended with the customer, unless its own events tell when. */
function endWithCustomer<Event>(
  { state, cause }: { readonly state: RecordedState; readonly cause: Event | undefined },
  creation: Created<Event> | undefined,
) {
  if (!creation?.customerDeletedAt || state.terms.endedAt) return { state, cause };
  return { state: { ...state, terms: canceledAt(state.terms, creation.customerDeletedAt) }, cause: creation.from };
}

/** Whether an event names a schedule that the record does not have, or a sync wants to know what it does now. */
const isScheduleUnknown = ({ snapshot, isRead }: SubscriptionEvent, row: Subscription | undefined): boolean =>
  lacksSchedule(snapshot) && (isRead === true || row?.schedule?.id !== snapshot.scheduleId);

/**
 * Takes from the record what an event lacks. Amounts of a new period are read again: a price may change them. A recorded
 * schedule, which `readTerms` takes, may be newer than what was read of it.
 */
function withRecordedDetails<Event extends SubscriptionEvent>(received: Event, row: Subscription | undefined): Event {
  const isKnown = row?.schedule && row.schedule.id === received.snapshot.scheduleId && !received.isRead;
  const event = isKnown ? { ...received, snapshot: { ...received.snapshot, schedule: undefined } } : received;
  const { snapshot } = event;
  if (!row || !isIncomplete(snapshot)) return event;
  const { terms } = recordedState(row);
  const isNewPeriod = terms.currentPeriodStart.getTime() !== snapshot.currentPeriodStart.getTime();
  return { ...event, snapshot: withRecorded(snapshot, isNewPeriod ? { ...terms, items: [] } : terms) };
}

const currentOf = (reread: Reread | 'missing') => (reread === 'missing' ? null : reread.snapshot);

/** Returns how a subscription refers to its customer. */
export const referenceOf = (
  scope: ProjectScope,
  { customerId, metadata }: SubscriptionSnapshot,
): CustomerReference => ({ scope, processorCustomerId: customerId, metadata });

/**
 * Makes the rows of subscriptions that have no record, each from the oldest of its events, by `scopedKey`; without those
 * whose customer has no copy here, or has a discount that was not read for them.
 */
async function createSubscriptions<Event extends SubscriptionEvent>(
  tx: EntityManager,
  groups: readonly (readonly Event[])[],
  { catalogIds, now }: { catalogIds: CatalogIds; now: Date },
): Promise<ReadonlyMap<string, Created<Event>>> {
  const oldest = groups.flatMap(oldestReadable);
  const customerIds = await findCustomers(
    tx,
    oldest.map(({ scope, snapshot }) => referenceOf(scope, snapshot)),
  );
  const customerOf = ({ scope, snapshot }: Event): ProjectObject => ({ scope, id: snapshot.customerId });
  const deletions = await findDeletions(tx, oldest.map(customerOf));
  const discounted = await findDiscounted(tx, oldest.map(customerOf));
  const created = oldest.flatMap((from, index) => {
    const customerId = customerIds[index];
    const { scope, snapshot, position } = from;
    const isUnread = snapshot.customerDiscount === undefined && discounted.has(scopedKey(customerOf(from)));
    if (!customerId || isUnread) return [];
    const state = { terms: readTerms(snapshot, { observedAt: position.at }), position, readAt: null };
    const row = newSubscription({ scope, snapshot, state, customerId, catalogIds, now });
    const customerDeletedAt = deletions.get(scopedKey(customerOf(from)));
    return [[scopedKey(toObject(from)), { row, from, customerDeletedAt }] as const];
  });
  return new Map(created);
}

/** The oldest event whose status is known, or else the oldest one. */
function oldestReadable<Event extends SubscriptionEvent>(events: readonly Event[]): Event[] {
  const readable = events.filter(({ snapshot }) => snapshot.status !== null);
  return sortByPosition(readable.length > 0 ? readable : events).slice(0, 1);
}

/** What an event shows; nothing if its status is newer than this service. */
function shownBy({ snapshot, position, isRead }: SubscriptionEvent): ShownState[] {
  if (snapshot.status === null) return [];
  const terms = readTerms(snapshot, { observedAt: position.at });
  return isRead ? shownByReading(terms, position.at) : shownByEvent(terms, position);
}

const toObject = ({ scope, snapshot }: SubscriptionEvent): ProjectObject => ({ scope, id: snapshot.id });

/** What the event, and what was read because of it, names in the catalog. */
const namedInEvent = ({ scope, snapshot, reread }: SubscriptionEvent): CatalogObject[] => [
  ...namedInCatalog(scope, snapshot),
  ...(reread && reread !== 'missing' ? namedInCatalog(scope, reread.snapshot) : []),
];
