import { isDeepStrictEqual } from 'node:util';
import { CustomerStateChanged } from '@billing/contracts/events/customer-state';
import type { PublicChange } from '@billing/contracts/events/record-event';
import { MAX_EVENT_BYTES } from '@billing/contracts/resources/event';
import { EVENT_DATA } from '@billing/contracts/resources/event-data';
import type { Publish } from '@billing/messaging/outbox';
import { CAUSED_BY_SYSTEM } from '@billing/service/event-causes';
import { publicChangeOf } from '@billing/service/save-record';
import type { EntityManager, EventSubscriber } from '@mikro-orm/postgresql';
import type { TeamId } from '@billing/contracts/ids';
import { isDatabaseUnavailable } from '@billing/database/database';
import { isWriteConflict } from '@billing/database/transaction';
import { semaphore } from '@billing/messaging/semaphore';
import { lingerAfter, type Linger } from '@billing/database/linger';
import { startLeaseLoop, type LeaseLoop } from '@billing/database/lease-loop';
import { timeOf } from '#copies/test-clocks';
import { lockAll } from '#rows/locks';
import type { Dependencies } from '../dependencies.ts';
import { nextChangeAt } from './customer-state.rules.ts';
import { findCustomerRecords, type FoundCustomer } from './find-customer-records.ts';
import { deleteMarks, delayMarks, findTeamsWithMarks, takeMarks, type CustomerMark } from './mark-turns.ts';
import { delaySpread, spreadPage, takeSpread } from './spread-page.ts';
import { markEnded } from './state-marks.ts';
import { findPublishedStates, savePublishedStates, type StateData, type PublishedState } from './published-states.ts';
import { stateOf, type StateSource } from './read-state.ts';

/** What a turn takes at most. */
export interface TurnSize {
  /** Customers whose states are published. */
  readonly customers: number;
  /** Rows of a page of those whom a change concerns. */
  readonly page: number;
}

const TURN_SIZE: TurnSize = { customers: 100, page: 1_000 };
/** Of a transaction of a turn, in milliseconds. */
const LIMITS = { statement: 4_000, lock: 1_000, total: 10_000, what: 'A turn of states' };

/**
 * Gives a team a turn: publishes the states of marked customers that differ from the last published ones, in what the customer
 * may use or in how far payments are past due; when few wait, it also marks a page of those whom a change of many concerns.
 * Returns whether there was anything to do. The lock of each state lets one transaction at a time read, publish and save it, so
 * that no event is older than the one before it.
 */
export function publishStates(
  { outbox, logger, now }: Pick<Dependencies, 'outbox' | 'logger' | 'now'>,
  { customers, page }: TurnSize = TURN_SIZE,
) {
  /** Works in a transaction on the marks that `take` finds, and returns how many; after a failure they are delayed. */
  const attempt = async <Mark>(
    take: (tx: EntityManager) => Promise<readonly Mark[]>,
    work: (tx: EntityManager, marks: readonly Mark[], publish: Publish) => Promise<void>,
    delay: (marks: readonly Mark[]) => Promise<void>,
  ): Promise<number> => {
    let marks: readonly Mark[] = [];
    try {
      await outbox.transaction(async (tx, publish) => {
        marks = await take(tx);
        if (marks.length > 0) await work(tx, marks, publish);
      }, LIMITS);
    } catch (err) {
      if (marks.length === 0 || isDatabaseUnavailable(err) || isWriteConflict(err)) throw err;
      logger.error({ err, marks }, 'states of a team not published, will try again');
      await delay(marks);
    }
    return marks.length;
  };

  const publishMarked = async (tx: EntityManager, marks: readonly CustomerMark[], publish: Publish): Promise<void> => {
    const marked = marks.map(({ customerId: id, teamId, projectId }) => ({ scope: { teamId, projectId }, id }));
    await lockAll(tx, 'state', marked);
    const published = await findPublishedStates(tx, marked);
    const found = await findCustomerRecords(tx, marked);
    const [at, changed, failed] = [now(), [] as PublishedState[], new Set<string>()];
    for (const customer of found) {
      const { id, teamId } = customer.customer;
      try {
        const next = publishState(publish, customer, { last: published.get(id), at });
        if (next) changed.push(next);
      } catch (err) {
        // One customer must not delay the others.
        logger.error({ err, teamId, customerId: id }, 'state of a customer not computed');
        failed.add(id);
      }
    }
    await savePublishedStates(tx, changed);
    const [delayed, done] = [true, false].map(hasFailed =>
      marks.filter(({ customerId }) => failed.has(customerId) === hasFailed).map(({ id }) => id),
    );
    await deleteMarks(tx, done ?? []);
    await delayMarks(tx, delayed ?? []);
  };

  return async (teamId: TeamId, { spreads = true } = {}): Promise<boolean> => {
    const { em } = outbox;
    const published = await attempt(
      tx => takeMarks(tx, teamId, customers),
      publishMarked,
      marks =>
        delayMarks(
          em.fork(),
          marks.map(({ id }) => id),
        ),
    );
    if (published === customers || !spreads) return published > 0;
    const spread = await attempt(
      tx => takeSpread(tx, teamId),
      async (tx, marks) => {
        for (const mark of marks) await spreadPage(tx, mark, page);
      },
      async marks => {
        for (const mark of marks) await delaySpread(em, mark);
      },
    );
    return published + spread > 0;
  };
}

/** Publishes a customer's state if it differs from the last published one, and returns what is to be saved then. */
function publishState(
  publish: Publish,
  found: FoundCustomer,
  { last, at }: { readonly last: PublishedState | undefined; readonly at: Date },
): PublishedState | undefined {
  const { id: customerId, teamId, projectId, deletedAt } = found.customer;
  const time = timeOf(found.customer, () => at);
  const state = stateOf(deletedAt ? withoutAnything(found) : found, time);
  const isDifferent =
    state.payment.status !== (last?.state.payment.status ?? 'ok') ||
    !isDeepStrictEqual(asSaved(state.entitlements), last?.state.entitlements ?? {});
  // Time takes away what there is, and gives nothing; a test clock that moves marks its customers.
  const isDue = Object.keys(state.entitlements).length > 0 && !found.customer.testClockId;
  const dueAt = isDue ? nextChangeAt(found.records, at) : null;
  const isErased = deletedAt !== null && last !== undefined;
  if (!isDifferent && !isErased)
    return !last || last.dueAt?.getTime() === dueAt?.getTime() ? undefined : { ...last, dueAt };

  const data = asSaved(EVENT_DATA.customer_state.encode(state)) as StateData; // JSON keeps the shape
  // The name of a deleted customer is published no more, not even as what it was before.
  const before = last ? { ...last.state, ...(deletedAt && { customer: data.customer }) } : null;
  const sequence = last?.sequence ?? 0;
  const source = { at, cause: CAUSED_BY_SYSTEM };
  const seen = { before: before && { state: before }, after: { state: data } };
  const change = isDifferent ? publicChangeOf('customer_state', seen, { sequence }, source) : undefined;
  if (change) publish(CustomerStateChanged, teamId, { projectId, customerId, ...carried(data, change) });
  return { teamId, projectId, customerId, sequence: change?.sequence ?? sequence, state: data, dueAt };
}

/** A state has no limit: what no event can carry is left out. */
function carried(state: StateData, change: PublicChange) {
  const isTooLong = Buffer.byteLength(JSON.stringify([state, change.previousAttributes])) > MAX_EVENT_BYTES;
  return isTooLong ? { change: { ...change, previousAttributes: null } } : { state, change };
}

/** Returns a value as it reads once it was saved as JSON: without fields that are undefined. */
const asSaved = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

/** What is left of a deleted customer: neither personal data nor anything that is granted or due. */
const withoutAnything = ({ customer, records }: FoundCustomer): StateSource => ({
  customer: { id: customer.id, email: null, externalId: null, balance: null, testClockId: customer.testClockId },
  subscriptions: [],
  checkouts: [],
  records: { ...records, subscriptions: [], openInvoices: [], grants: [] },
});

/** How late a change by time alone may be seen, and one that another process has committed. */
const INTERVAL_MS = 1_000;
/** A state that changes all the time is read once for many changes. */
const LINGER: Linger = { times: 2, longestMs: INTERVAL_MS };
/** How long a team waits in whose turn there was nothing to do, since another process is at it. */
const NOTHING_MS = 100;
/** Teams that have a turn at once; most of them linger. */
const TEAMS = 12;
/** Connections that turns have at once. */
const CONNECTIONS = 3;

interface Parts extends Pick<Dependencies, 'em' | 'outbox' | 'logger' | 'now'> {
  /** While it returns true, changes of many customers wait. */
  readonly isOverloaded: () => boolean;
}

/** Publishes states that changed, until stopped. Copies of the service may run it side by side. */
export function startPublishingStates(parts: Parts): LeaseLoop {
  const { em, logger, now, isOverloaded } = parts;
  const publish = publishStates(parts);
  const withConnection = semaphore(CONNECTIONS);
  const underWay = new Set<TeamId>();
  let [endedAt, last] = [-INTERVAL_MS, ''];
  const loop: LeaseLoop = startLeaseLoop<TeamId>({
    name: 'states',
    batchSize: TEAMS,
    parallel: TEAMS,
    // A lease of its own would be one more commit of each change: the transaction that publishes the states takes them.
    async lease(limit) {
      if (performance.now() - endedAt >= INTERVAL_MS) {
        endedAt = performance.now();
        await markEnded(em.fork(), now());
      }
      const turn = { except: [...underWay], after: last, limit, spreads: !isOverloaded() };
      const teams = await findTeamsWithMarks(em.fork(), turn);
      for (const team of teams) underWay.add(team);
      last = teams.at(-1) ?? last;
      return teams;
    },
    async work([team]) {
      if (team === undefined) return;
      let tookMs = NOTHING_MS;
      try {
        await withConnection(async () => {
          const startedAt = performance.now();
          if (await publish(team, { spreads: !isOverloaded() })) tookMs = performance.now() - startedAt;
        });
      } finally {
        await lingerAfter(tookMs, LINGER);
        underWay.delete(team);
        loop.wake();
      }
    },
    intervalMs: INTERVAL_MS,
    logger,
  });
  // Any transaction of this process may have marked a state.
  const committed: EventSubscriber = { afterTransactionCommit: loop.wake };
  em.getEventManager().registerSubscriber(committed);
  return loop;
}
