import type { EntityManager } from '@mikro-orm/postgresql';
import { setTimeout as pause } from 'node:timers/promises';
import type { EventType } from '@billing/contracts/event';
import { allEvents } from '@billing/contracts/events/all-events';
import { publicEventsOf, publicPart, type PublicEventContent } from '@billing/contracts/events/public-data';
import { ALL_RECORDS, isRecord } from '@billing/contracts/events/record-event';
import type { EventId, TeamId } from '@billing/contracts/ids';
import { executeBound } from '@billing/database/bound-statement';
import { consumer, type Consumer } from '@billing/messaging/consumer/consumer';
import { semaphore } from '@billing/messaging/semaphore';
import type { StorageQuota } from '../storage-quota.ts';
import { countBytes, partitionOf, ROW_BYTES } from '../stored-bytes.ts';
import { openAfterCommit } from './after-commit.ts';
import { eraseDeleted } from './erase-customers.ts';
import { eventBody, eventIdOf } from './event-body.ts';

/** How long an event waits for the one before it of the same object, in milliseconds: within the time of a preparation. */
const PATIENCE_MS = 20_000;
const POLL_MS = 100;

/** A change that tenants see, of a team's project. */
type Change = PublicEventContent & { readonly teamId: TeamId };

/** Every event of a record. Its state stays JSON, which the events for tenants are made of. */
const RECORD_EVENTS: readonly EventType<typeof publicPart>[] = allEvents
  .filter(({ type }) => isRecord(type.name))
  .map(({ type: { name } }) => ({ name, data: publicPart }));

/**
 * Records every change that tenants see once, as an event with a position in its project. Events of an object keep their order;
 * one whose predecessor does not come in time goes ahead, and the predecessor is recorded when it comes. `onRecorded` runs after
 * the commit, for each team.
 */
export function eventRecorder(em: EntityManager, quota: Quota, onRecorded: (teamId: TeamId) => void): Consumer {
  const afterCommit = openAfterCommit(em);
  // Transactions would wait for the same counters.
  const options = { limitBatches: semaphore(1) };
  return consumer('webhooks-records', ALL_RECORDS, options).on(RECORD_EVENTS, {
    prepare: async ({ teamId, data }) => {
      const [first] = publicEventsOf(data);
      if (first) await waitForPredecessor(em, { teamId, ...first });
      return 'waited' as const;
    },
    handle: async (tx, deliveries) => {
      const read = deliveries.map(delivery => {
        const { teamId, data, context } = delivery;
        const changes = publicEventsOf(data).map((change): Change => ({ teamId, ...change }));
        return { delivery, changes, hasWaited: context !== undefined };
      });
      const { teamIds, early } = await recordChanges(tx, read, quota);
      afterCommit(tx, () => teamIds.forEach(onRecorded));
      return early.map(({ delivery }) => delivery);
    },
  });
}

/** The changes of one record that were published together. */
interface Published {
  readonly changes: readonly Change[];
  /** Whether it goes ahead of predecessors that are not recorded. */
  readonly hasWaited: boolean;
}

type Quota = Pick<StorageQuota, 'bytes' | 'note'>;

/**
 * Records changes that are not recorded yet as events, in the caller's transaction; returns their teams, and what came before its
 * predecessor. The lock of the project's counter lets one transaction at a time give out positions: who has read one never finds
 * a new event below it. Events of a team that stores all that it may come without their data.
 */
export async function recordChanges<Event extends Published>(
  tx: EntityManager,
  published: readonly Event[],
  quota?: Quota,
): Promise<{ readonly teamIds: ReadonlySet<TeamId>; readonly early: readonly Event[] }> {
  const all = published.flatMap(({ changes }) => changes);
  if (all.length === 0) return { teamIds: new Set(), early: [] };
  const counters = await lockPositions(tx, all);
  for (const { teamId, used } of counters.values()) quota?.note(teamId, used);
  const sequences = await findSequences(tx, all);
  const counterOf = (change: Change): Counter => {
    const counter = counters.get(projectKey(change));
    if (!counter) throw new Error('The counter of a project was not locked.');
    return counter;
  };
  const idOf = (change: Change) => eventIdOf(change, counterOf(change).epoch);
  const late = new Set(all.filter(it => it.object.sequence <= (sequences.get(objectKey(it)) ?? 0)));
  const known = await findRecorded(tx, [...late], idOf);
  const early: Event[] = [];
  const recorded = new Map<EventId, NewEvent>();
  for (const event of published.toSorted((a, b) => firstOf(a) - firstOf(b))) {
    for (const change of event.changes) {
      const { sequence } = change.object;
      const last = sequences.get(objectKey(change)) ?? 0;
      if (sequence > last + 1 && !event.hasWaited) {
        early.push(event);
        break;
      }
      sequences.set(objectKey(change), Math.max(last, sequence));
      const [id, counter] = [idOf(change), counterOf(change)];
      if (known.has(id) || recorded.has(id)) continue;
      counter.position += 1;
      const kept = counter.used < (quota?.bytes ?? Infinity) ? change : { ...change, data: undefined };
      recorded.set(id, { change: kept, id, position: counter.position, livemode: counter.livemode });
    }
  }
  await save(tx, [...recorded.values()]);
  const news = [...recorded.values()].map(({ change }) => change);
  await eraseDeleted(
    tx,
    news.filter(it => it.type === 'customer.deleted' || COMES_LATE.has(it.object.type) || isLateOfCustomer(it)),
  );
  return { teamIds: new Set(news.map(({ teamId }) => teamId)), early };

  function isLateOfCustomer(change: Change): boolean {
    return change.object.type === 'customer' && late.has(change);
  }
}

/** Events about a customer that may be published after it was deleted. */
const COMES_LATE: ReadonlySet<string> = new Set(['customer_state', 'customer_billing_details']);

const firstOf = ({ changes: [first] }: Published): number => first?.object.sequence ?? 0;

interface NewEvent {
  readonly change: Change;
  readonly id: EventId;
  readonly position: number;
  readonly livemode: boolean;
}

const projectKey = ({ teamId, projectId }: Change): string => `${teamId} ${projectId}`;
const objectKey = (change: Change): string => `${projectKey(change)} ${change.object.type} ${change.object.id}`;

/** Waits until the event before this one of the same object is recorded, or for 20 seconds. */
async function waitForPredecessor(em: EntityManager, change: Change): Promise<void> {
  const until = performance.now() + PATIENCE_MS;
  while (performance.now() < until) {
    const known = (await findSequences(em.fork(), [change])).get(objectKey(change)) ?? 0;
    if (known >= change.object.sequence - 1) return;
    await pause(POLL_MS);
  }
}

interface Counter {
  position: number;
  readonly teamId: TeamId;
  /** What its team stores. */
  readonly used: number;
  /** How often the team was purged: an object that is read again after it counts from 1 again, under new ids of events. */
  readonly epoch: number;
  readonly livemode: boolean;
}

/** Locks the counters of projects, in one order, so that no two transactions wait for each other. */
async function lockPositions(tx: EntityManager, changes: readonly Change[]): Promise<ReadonlyMap<string, Counter>> {
  const projects = [...new Map(changes.map(change => [projectKey(change), change])).values()];
  const keys = JSON.stringify(projects.map(({ teamId, projectId }) => ({ team_id: teamId, project_id: projectId })));
  await executeBound(
    tx,
    `insert into event_positions (team_id, project_id, position)
     select team_id, project_id, 0 from json_to_recordset($1::json) as k(team_id text, project_id text)
      order by team_id, project_id on conflict do nothing`,
    [keys],
  );
  const rows = await executeBound<Counter & { readonly projectId: string }>(
    tx,
    `select p.team_id as "teamId", p.project_id as "projectId", p.position::float8 as position, p.epoch,
            coalesce((select livemode from processor_accounts a where a.team_id = p.team_id), false) as livemode,
            coalesce((select sum(bytes) from stored_bytes b where b.team_id = p.team_id), 0)::float8 as used
       from event_positions p
       join json_to_recordset($1::json) as k(team_id text, project_id text) using (team_id, project_id)
      order by team_id, project_id for update of p`,
    [keys],
  );
  return new Map(rows.map(({ projectId, ...counter }) => [`${counter.teamId} ${projectId}`, counter]));
}

/** The sequence of the newest recorded event of each object. */
async function findSequences(em: EntityManager, changes: readonly Change[]): Promise<Map<string, number>> {
  const rows = await executeBound<{ key: string; sequence: number }>(
    em,
    `select concat_ws(' ', team_id, project_id, object_type, object_id) as key, sequence
       from event_sequences
       join json_to_recordset($1::json) as k("teamId" text, "projectId" text, type text, id text)
         on (team_id, project_id, object_type, object_id) = ("teamId", "projectId", type, id)`,
    [JSON.stringify(changes.map(({ teamId, projectId, object: { type, id } }) => ({ teamId, projectId, type, id })))],
  );
  return new Map(rows.map(({ key, sequence }) => [key, sequence]));
}

/** Which of the changes below the newest one of their object are recorded: a later one may not have waited for them. */
async function findRecorded(
  tx: EntityManager,
  below: readonly Change[],
  idOf: (change: Change) => EventId,
): Promise<ReadonlySet<EventId>> {
  if (below.length === 0) return new Set();
  const keys = below.map(change => ({ id: idOf(change), teamId: change.teamId, projectId: change.projectId }));
  const known = await executeBound<{ id: EventId }>(
    tx,
    `select e.id from events e join json_to_recordset($1::json) as k(id text, "teamId" text, "projectId" text)
         on (e.team_id, e.project_id, e.id) = ("teamId", "projectId", k.id)`,
    [JSON.stringify(keys)],
  );
  return new Set(known.map(({ id }) => id));
}

/** Writes events, how far their objects and projects are, and that endpoints have something to read. */
async function save(tx: EntityManager, recorded: readonly NewEvent[]): Promise<void> {
  if (recorded.length === 0) return;
  const rows = recorded.map(({ change, id, position, livemode }) => ({
    team_id: change.teamId,
    project_id: change.projectId,
    position,
    id,
    type: change.type,
    object_type: change.object.type,
    object_id: change.object.id,
    sequence: change.object.sequence,
    happened_at: change.at,
    is_from_sync: change.cause.type === 'sync',
    body: eventBody({ ...change, id, position, livemode }),
  }));
  await executeBound(
    tx,
    `with given as (select * from json_populate_recordset(null::events, $1::json)),
     stored as (
       insert into events (team_id, project_id, position, id, type, object_type, object_id, sequence, happened_at, is_from_sync,
                           body, is_erased, recorded_at)
       select team_id, project_id, position, id, type, object_type, object_id, sequence, happened_at, is_from_sync,
              body, false, statement_timestamp() from given
       returning team_id, ${partitionOf('events', 'recorded_at')} as store, ${ROW_BYTES.events} + octet_length(body) as bytes),
     bytes as (${countBytes('stored')}),
     objects as (
       insert into event_sequences (team_id, project_id, object_type, object_id, sequence)
       select team_id, project_id, object_type, object_id, max(sequence) from given group by 1, 2, 3, 4
       on conflict (team_id, project_id, object_type, object_id) do update
          set sequence = greatest(event_sequences.sequence, excluded.sequence)),
     projects as (
       select team_id, project_id, max(position) as position from given group by 1, 2),
     counted as (
       update event_positions p set position = projects.position from projects
        where (p.team_id, p.project_id) = (projects.team_id, projects.project_id)),
     endpoints as (
       select e.id, projects.position as wanted
         from projects join webhook_endpoints e using (team_id, project_id) order by e.id for update of e)
     update webhook_endpoints e
        set wanted_position = wanted,
            due_at = case when lease_id is null and (status = 'enabled' or due_at is null) then statement_timestamp() else due_at end
       from endpoints where e.id = endpoints.id and e.status <> 'disabled'`,
    [JSON.stringify(rows)],
  );
}
