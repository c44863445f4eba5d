import type { EntityManager } from '@mikro-orm/postgresql';
import type { ProjectScope } from '@billing/contracts/ids';
import type { Publish } from '@billing/messaging/outbox';
import type { ShownState } from '@billing/contracts/events/subscriptions';
import { sortByPosition } from '@billing/processor/event-order';
import { missingOrThrow } from '@billing/processor/errors';
import { complete } from '@billing/processor/stripe/pending-payment';
import type { SubscriptionSnapshot } from '@billing/processor/port';
import { isIncomplete, lacksDiscounts, lacksSchedule, withDiscounts } from '@billing/processor/snapshots/subscription';
import { scopedKey, type ProjectObject } from '@billing/database/project-objects';
import type { Source } from '@billing/service/publish-resource';
import { applyObservations, type Observation } from '#domain/apply-observations.ts';
import type { RecordedState, Reread } from '#domain/observation.ts';
import { shownByEvent, shownByReading } from '#domain/shown-states.ts';
import { canceledAt, readTerms, withRecorded } from '#domain/subscription.ts';
import { findCustomers, findDeletions, type CustomerReference } from '#persistence/find-customers.ts';
import { findCatalogIds, type CatalogIds, type CatalogObject } from '#persistence/find-catalog-ids.ts';
import { addShownStates } from '#persistence/shown-states.ts';
import { subscriptionRows } from '#persistence/subscription-rows.ts';
import type { Subscription } from '#persistence/subscription.entity.ts';
import type { Dependencies } from '../dependencies.ts';
import { fetchCustomer } from './fetch-customer.ts';
import { linkInvoices, lockWaitingInvoices } from './link-invoices.ts';
import { readSubscription } from './read-subscription.ts';
import {
  changeSubscription,
  confirmSubscription,
  namedInCatalog,
  newSubscription,
  publishChange,
  publishCreated,
  recordedState,
} from './save-subscriptions.ts';
import { tellTrialEnding, told } from './tell-tenants.ts';

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
 * (`domain/observation.ts`) and the same set of states that were shown. Events of one subscription are applied in the order of
 * their positions, and what they change together is published once, with every state that is new, and told to tenants once.
 *
 * Returns the events that need `prepareSubscriptionEvent` first: the customer has no copy here, or the processor must be
 * read, for the state, for an amount in the subscription's currency, or for a discount.
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
    const newRows = [...created.values()].map(({ row }) => row);
    const rowOf = (key: string) => rows.get(key) ?? created.get(key)?.row;
    const shownStates = await addShownStates(
      tx,
      [...eventsByKey].flatMap(([key, ofOne]) => {
        const subscription = rowOf(key);
        return subscription ? [{ subscription, states: ofOne.flatMap(shownBy) }] : [];
      }),
    );
    const changed = new Set(newRows);
    const unprepared: Event[] = [...unreadable];
    for (const [key, ofOne] of eventsByKey) {
      const creation = created.get(key);
      const row = rowOf(key);
      const [first] = ofOne;
      if (!row || !first) {
        unprepared.push(...ofOne);
        continue;
      }
      const newlyShown = shownStates.get(row.id) ?? [];
      const shown = creation ? [] : newlyShown;
      if (creation)
        publishCreated(publish, row, {
          shown: newlyShown,
          trace: creation.from.source.trace,
          fromSync: creation.from.isRead,
        });
      const recorded = recordedState(row);
      const applied = applyObservations({ state: recorded, revision: row.revision }, ofOne);
      unprepared.push(...applied.unprepared);
      const { state, cause } = endWithCustomer(applied, creation);
      const before = creation || !cause ? null : told.subscription.toJson(row);
      if (cause) changeSubscription(publish, row, { state, catalogIds, shown, trace: cause.source.trace });
      else if (state !== recorded) confirmSubscription(row, state);
      // An older event that changes the record no more still shows what it was.
      if (shown.length > 0 && !cause) publishChange(publish, row, { shown, trace: first.source.trace });
      const last = cause ?? creation?.from;
      if (last) told.subscription.tell(publish, row, { ...last.source, before, now: now() });
      const ending = ofOne.filter(
        event => event.isTrialEnding && tellTrialEnding(publish, row, event.snapshot.trialEnd, event.source),
      );
      if (shown.length > 0 || state !== recorded || ending.length > 0) changed.add(row);
    }
    await subscriptionRows.save(tx, [...changed]);
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
    const reread = row || lacksDiscounts(known) ? await read(object).catch(missingOrThrow) : null;
    const discounted = withCurrentDiscounts(known, reread);
    const isWhole = !isIncomplete(discounted) && !lacksSchedule(discounted);
    const snapshot = isWhole ? discounted : await complete(discounted, await processors.of(scope.teamId));
    if (row) return { snapshot, reread };
    await fetch(referenceOf(scope, snapshot));
    return { snapshot, reread: null };
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

/** Takes the discounts that an event lacks from a read of the subscription, without those that it no longer has. */
function withCurrentDiscounts(snapshot: SubscriptionSnapshot, reread: Reread | 'missing' | null): SubscriptionSnapshot {
  const current = reread && reread !== 'missing' ? reread.snapshot.discounts : [];
  const filled = withDiscounts(snapshot, id => current.find(it => it.id === id)?.detail ?? undefined);
  return { ...filled, discounts: filled.discounts.filter(({ detail }) => detail !== null) };
}

/** Returns how a subscription refers to its customer. */
export const referenceOf = (
  scope: ProjectScope,
  { customerId, metadata }: SubscriptionSnapshot,
): CustomerReference => ({ scope, processorCustomerId: customerId, metadata });

/**
 * Makes the rows of subscriptions that have no record, each from the oldest of its events, by `scopedKey`; without those
 * whose customer has no copy here.
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
  const created = oldest.flatMap((from, index) => {
    const customerId = customerIds[index];
    if (!customerId) return [];
    const { scope, snapshot, position } = from;
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
