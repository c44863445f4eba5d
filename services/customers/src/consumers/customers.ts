import type { EntityManager } from '@mikro-orm/postgresql';
import { CustomerId } from '@billing/contracts/ids';
import { unavailable } from '@billing/contracts/problem';
import { processorEvent, type ProcessorEventData } from '@billing/contracts/processor-events';
import { canonicalEmail } from '@billing/contracts/text';
import { scopedKey } from '@billing/database/project-objects';
import { consumer, type Consumer } from '@billing/messaging/consumer/consumer';
import type { Delivery } from '@billing/messaging/consumer/delivery';
import type { Publish } from '@billing/messaging/outbox';
import { readObject } from '@billing/processor/event-object';
import { decideOnEvent } from '@billing/processor/event-order';
import { readCustomer } from '@billing/processor/snapshots/customer';
import type { TeamProcessors } from '@billing/processor/team-processors';
import { CAUSED_BY_SYSTEM, sourceOf } from '@billing/service/event-causes';
import { findLife, goneAt, isOfLife } from '@billing/service/lives';
import type { Logger } from 'pino';
import { hasMoved } from '#domain/billing.ts';
import { atProcessor, isSameContent, toContent } from '#domain/customer.ts';
import { applyCustomerEvent, type Prepared } from '#operations/apply-customer-event.ts';
import { recordFoundCustomers, type FoundCustomer } from '#operations/record-found-customers.ts';
import { saveDeleted } from '#operations/save-customer.ts';
import { settleEmails } from '#operations/settle-emails.ts';
import { openEmails, releaseIdentifiers } from '#persistence/customer-identifiers.ts';
import type { LinkedCustomer } from '#persistence/customer.entity.ts';
import { customers as rows, lockDeletedByProcessorIds } from '#persistence/find-customer.ts';

interface CustomerConsumerDependencies {
  readonly em: EntityManager;
  readonly processors: TeamProcessors;
  readonly logger: Logger;
  readonly now: () => Date;
}

const LIVE = { deletedAt: null };

/**
 * Follows the processor's customers that are linked here. Others are created by callers and by syncs only, and by their
 * events where a restored backup lacks them.
 */
export function customerEvents({ em, processors, logger, now }: CustomerConsumerDependencies): Consumer {
  const applyEvent = applyCustomerEvent({ now, logger });
  const recordFound = recordFoundCustomers({ now });

  /** Reads the customer at the processor where the event alone does not decide. */
  const prepare = async (delivery: Delivery<ProcessorEventData>): Promise<Prepared | null> => {
    const { scope, snapshot, id, namedIds, source } = readEvent(delivery);
    const customer = (await rows.findByProcessorIds(em.fork(), [id], LIVE)).get(scopedKey(id));
    if (!customer) {
      const reserved = await rows.findReservedIds(em.fork(), namedIds);
      if (reserved.size > 0) throw unavailable('The customer is being created.');
      return null;
    }
    const { version } = customer;
    if (snapshot.deleted || !isOfLife(customer, snapshot.createdAt)) return { version, reread: null };
    const isSame = isSameContent(atProcessor(customer), toContent(snapshot, scope, customer, source.at));
    const decision = decideOnEvent(customer, source.at, isSame);
    if (decision !== 'reread' && !(decision === 'apply' && hasMoved(snapshot, customer)))
      return { version, reread: null };
    const processor = await processors.of(scope.teamId);
    const found = decision === 'reread' ? await processor.findCustomer(snapshot.id) : snapshot;
    // Automatic tax that has stopped starts again where the customer is recognized, which no event says.
    const isMoved = !found.deleted && hasMoved(found, customer);
    const reread = isMoved ? await processor.findBilledCustomer(snapshot.id) : found;
    const isOther = !reread.deleted && reread.createdAt.getTime() !== snapshot.createdAt.getTime();
    return { version, reread: isOther ? { deleted: true, id: snapshot.id } : reread };
  };

  const handle = async (
    tx: EntityManager,
    deliveries: readonly Delivery<ProcessorEventData, Prepared | null>[],
    publish: Publish,
  ) => {
    const events = deliveries.map(readEvent);
    // Before the customers: one that is created in between is found under its processor id.
    const reservedIds = await rows.findReservedIds(
      tx,
      events.flatMap(({ namedIds }) => namedIds),
    );
    const customers = await rows.lockByProcessorIds(
      tx,
      events.map(({ id }) => id),
      LIVE,
    );
    const deletions = events.filter(({ isDeletion }) => isDeletion);
    const deleted = await lockDeletedByProcessorIds(
      tx,
      deletions.map(({ id }) => id),
    );
    const emails = new Map([...customers.values()].map(({ id, email }) => [id, email]));
    const { current, former } = splitLives(events, customers);
    for (const { customer, event } of former) {
      saveDeleted(tx, publish, customer, { now: now(), ...event.source, at: event.createdAt });
      customers.delete(scopedKey(event.id));
    }
    // What the next customer of the id may have, too.
    const freedBefore = await releaseIdentifiers(
      tx,
      former.map(({ customer }) => customer),
    );
    if (former.length > 0) await tx.flush();

    /** Empty if the event changes no e-mail. */
    const newEmailOf = ({ id, scope, snapshot }: Event): string => {
      if (snapshot.deleted) return '';
      const customer = customers.get(scopedKey(id));
      if (!customer) return canonicalEmail(snapshot.email ?? '');
      const { email } = toContent(snapshot, scope, customer);
      return email === customer.email ? '' : (email ?? '');
    };
    const unprepared: (typeof deliveries)[number][] = [];
    const ignore = ({ snapshot }: Event) =>
      logger.info({ processorCustomerId: snapshot.id }, 'unknown customer ignored');
    const isReserved = ({ namedIds }: Event) => namedIds.some(it => reservedIds.has(scopedKey(it)));
    const apply = async (event: Event): Promise<void> => {
      const { delivery } = event;
      const customer = customers.get(scopedKey(event.id));
      const isApplied = customer && (await applyEvent(tx, publish, customer, { ...event, prepared: delivery.context }));
      if (isApplied === false || (!customer && isReserved(event))) unprepared.push(delivery);
      else if (!customer) ignore(event);
    };

    /** By their keys: customers of one project that have no record, one after the other, to be recorded together. */
    const found = new Map<string, FoundEvent>();
    const recordAll = async () => {
      const [first] = found.values();
      if (!first) return;
      for (const customer of await recordFound(tx, publish, first.scope, [...found.values()]))
        customers.set(scopedKey({ scope: customer, id: customer.processorId }), customer);
      for (const [key, event] of found) if (!customers.has(key)) ignore(event);
      found.clear();
    };
    const isNew = (event: Event): event is FoundEvent =>
      !event.snapshot.deleted && !customers.has(scopedKey(event.id)) && !isReserved(event);

    // Copies of the service take e-mails in the same order and free them last, so that there are no deadlocks.
    for (const event of sortBy(current, newEmailOf)) {
      const key = scopedKey(event.id);
      const [first] = found.values();
      const isNext = isNew(event) && !found.has(key) && (!first || first.scope.projectId === event.scope.projectId);
      if (!isNext) await recordAll();
      if (isNew(event)) found.set(key, event);
      else await apply(event);
    }
    await recordAll();
    // One that was found deleted before its event came is deleted since the event's time.
    for (const { id, source, createdAt } of deletions)
      for (const customer of deleted.get(scopedKey(id)) ?? [])
        if (createdAt === null || isOfLife(customer, createdAt))
          saveDeleted(tx, publish, customer, { now: now(), ...source });
    const changed = [...customers.values()].filter(it => it.deletedAt || it.email !== emails.get(it.id));
    const freed = await releaseIdentifiers(tx, changed, ['email']);
    await releaseIdentifiers(
      tx,
      changed.filter(it => it.deletedAt),
    );
    await settleEmails(tx, publish, [...freedBefore, ...freed, ...[...customers.values()].flatMap(openEmails)], {
      now: now(),
      cause: CAUSED_BY_SYSTEM,
    });
    return unprepared;
  };

  return consumer('customers', 'processor.customer.*.v1').onProcessorEvent(
    ['customer.created', 'customer.updated', 'customer.deleted'],
    { prepare, handle },
  );
}

type Event = ReturnType<typeof readEvent<Prepared | null>>;
/** The event of a customer that the processor has. */
type FoundEvent = Event & FoundCustomer;

function readEvent<Context>(delivery: Delivery<ProcessorEventData, Context>) {
  const { teamId, event, data } = delivery;
  const snapshot = readObject(data, readCustomer);
  const scope = { teamId, projectId: data.projectId };
  const customerId = snapshot.deleted ? undefined : CustomerId.schema.safeParse(snapshot.metadata['customerId']).data;
  return {
    delivery,
    scope,
    snapshot,
    source: sourceOf(delivery),
    /** When the processor created the customer; null for the stub of a deleted one. */
    createdAt: snapshot.deleted ? null : snapshot.createdAt,
    fromSync: data.fromSync === true,
    isDeletion: event.type === processorEvent('customer.deleted').name,
    /** The processor's id. */
    id: { scope, id: snapshot.id },
    /** Our id, if the customer was created here: while it has no processor id here, the event waits. */
    namedIds: customerId === undefined ? [] : [{ scope, id: customerId }],
  };
}

/**
 * Of an id that was used again the newest customer counts. Returns its events, and the live records of customers that had the id
 * before, each with an event that shows so.
 */
function splitLives(events: readonly Event[], customers: ReadonlyMap<string, LinkedCustomer>) {
  const newest = new Map<string, Event & { readonly createdAt: Date }>();
  for (const event of events) {
    const { id, createdAt } = event;
    const other = newest.get(scopedKey(id));
    if (createdAt && !(other && other.createdAt >= createdAt)) newest.set(scopedKey(id), { ...event, createdAt });
  }
  const former = [...newest.values()].flatMap(event => {
    const customer = customers.get(scopedKey(event.id));
    return customer && findLife([customer], event.createdAt) === 'new' ? [{ customer, event }] : [];
  });
  const ended = new Set(former.map(({ customer }) => customer.id));
  const current = events.filter(({ id, createdAt, source }) => {
    const customer = customers.get(scopedKey(id));
    if (!createdAt) return !customer || goneAt([customer], source.at) !== undefined;
    const isNewest = newest.get(scopedKey(id))?.createdAt.getTime() === createdAt.getTime();
    return isNewest && (!customer || ended.has(customer.id) || isOfLife(customer, createdAt));
  });
  return { current, former };
}

/** Sorts by a text; items with the same text keep their order. */
function sortBy<Item>(items: readonly Item[], textOf: (item: Item) => string): Item[] {
  const sorted = items
    .map(item => ({ item, text: textOf(item) }))
    .toSorted((a, b) => (a.text === b.text ? 0 : a.text < b.text ? -1 : 1));
  return sorted.map(({ item }) => item);
}
