import type { EntityManager } from '@mikro-orm/postgresql';
import { setTimeout as pause } from 'node:timers/promises';
import { EventsRecorded, ResourceChanged, type ResourceChange } from '@billing/contracts/events/resources';
import type { EventId, TeamId } from '@billing/contracts/ids';
import { executeBound } from '@billing/database/bound-statement';
import { consumer, type Consumer } from '@billing/messaging/consumer/consumer';
import { eraseDeleted } from './erase-customers.ts';
import { eventBody, eventIdOf } from './event-body.ts';

/** How long an event waits for the one before it of the same object, in milliseconds: within the time of a preparation. */
const PATIENCE_MS = 20_000;
const POLL_MS = 100;

type Delivered = ResourceChange & { readonly teamId: TeamId };

/**
 * Records every change of a resource once, as an event with a position in its project. The lock of the project's counter
 * lets one transaction at a time give out positions: who has read one never finds a new event below it. Events of an object
 * keep their order; one whose predecessor does not come in time goes ahead, and the predecessor is recorded when it comes.
 */
export function eventRecorder(em: EntityManager): Consumer {
  return consumer('webhooks-resources', ResourceChanged.name).on(ResourceChanged, {
    prepare: async ({ teamId, data }) => {
      await waitForPredecessor(em, { teamId, ...data });
      return 'waited' as const;
    },
    handle: async (tx, deliveries, publish) => {
      const changes = deliveries.map(({ teamId, data }) => ({ teamId, ...data }));
      const counters = await lockPositions(tx, changes);
      const [sequences, recorded] = [await findSequences(tx, changes), [] as NewEvent[]];
      const counterOf = (change: Delivered): Counter => {
        const counter = counters.get(projectKey(change));
        if (!counter) throw new Error('The counter of a project was not locked.');
        return counter;
      };
      const add = (change: Delivered): void => {
        const counter = counterOf(change);
        counter.position += 1;
        const { position, livemode } = counter;
        recorded.push({ change, id: eventIdOf(change, counter.epoch), position, livemode });
      };
      const [unprepared, below] = [[] as (typeof deliveries)[number][], [] as Delivered[]];
      for (const delivery of deliveries.toSorted((a, b) => a.data.object.sequence - b.data.object.sequence)) {
        const change = { teamId: delivery.teamId, ...delivery.data };
        const known = sequences.get(objectKey(change)) ?? 0;
        const { sequence } = change.object;
        if (sequence <= known) below.push(change);
        else if (sequence > known + 1 && !delivery.context) unprepared.push(delivery);
        else {
          add(change);
          sequences.set(objectKey(change), sequence);
        }
      }
      const late = await findMissing(tx, below, recorded, it => eventIdOf(it, counterOf(it).epoch));
      for (const change of late) add(change);
      await save(tx, recorded);
      const isDeleted = ({ change: { type } }: NewEvent) => type === 'customer.deleted';
      const deleted = recorded.filter(isDeleted).map(({ change }) => change);
      const states = recorded.map(({ change }) => change).filter(({ object }) => object.type === 'customer_state');
      await eraseDeleted(tx, [...deleted, ...late.filter(({ object }) => object.type === 'customer'), ...states]);
      for (const [teamId, ofTeam] of Map.groupBy(recorded, ({ change }) => change.teamId))
        publish(EventsRecorded, teamId, { projectIds: [...new Set(ofTeam.map(({ change }) => change.projectId))] });
      return unprepared;
    },
  });
}

interface NewEvent {
  readonly change: Delivered;
  readonly id: EventId;
  readonly position: number;
  readonly livemode: boolean;
}

const projectKey = ({ teamId, projectId }: Delivered): string => `${teamId} ${projectId}`;
const objectKey = (change: Delivered): string => `${projectKey(change)} ${change.object.type} ${change.object.id}`;

/** Waits until the event before this one of the same object is recorded, or for 20 seconds. */
async function waitForPredecessor(em: EntityManager, change: Delivered): Promise<void> {
  const until = performance.now() + PATIENCE_MS;
  while (performance.now() < until) {
    const known = (await findSequences(em.fork(), [change])).get(objectKey(change)) ?? 0;
    if (known >= change.object.sequence - 1) return;
    await pause(POLL_MS);
  }
}

interface Counter {
  position: number;
  /** How often the team was purged: an object that is read again after it counts from 1 again, under new ids of events. */
  readonly epoch: number;
  readonly livemode: boolean;
}

/** Locks the counters of projects, in one order, so that no two transactions wait for each other. */
async function lockPositions(tx: EntityManager, changes: readonly Delivered[]): Promise<ReadonlyMap<string, Counter>> {
  const projects = [...new Map(changes.map(change => [projectKey(change), change])).values()];
  const keys = JSON.stringify(projects.map(({ teamId, projectId }) => ({ team_id: teamId, project_id: projectId })));
  await executeBound(
    tx,
    `insert into event_positions (team_id, project_id, position)
     select team_id, project_id, 0 from json_to_recordset($1::json) as k(team_id text, project_id text)
      order by team_id, project_id on conflict do nothing`,
    [keys],
  );
  const rows = await executeBound<Counter & { readonly teamId: TeamId; readonly projectId: string }>(
    tx,
    `select p.team_id as "teamId", p.project_id as "projectId", p.position::float8 as position, p.epoch,
            coalesce((select livemode from processor_accounts a where a.team_id = p.team_id), false) as livemode
       from event_positions p
       join json_to_recordset($1::json) as k(team_id text, project_id text) using (team_id, project_id)
      order by team_id, project_id for update of p`,
    [keys],
  );
  return new Map(rows.map(({ teamId, projectId, ...counter }) => [`${teamId} ${projectId}`, counter]));
}

/** The sequence of the newest recorded event of each object. */
async function findSequences(em: EntityManager, changes: readonly Delivered[]): Promise<Map<string, number>> {
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

/** Which of the changes below the newest one of their object are not recorded: one that a later one did not wait for. */
async function findMissing(
  tx: EntityManager,
  below: readonly Delivered[],
  recorded: readonly NewEvent[],
  idOf: (change: Delivered) => EventId,
): Promise<readonly Delivered[]> {
  if (below.length === 0) return [];
  const byId = new Map(below.map(change => [idOf(change), change]));
  for (const { id } of recorded) byId.delete(id);
  const keys = [...byId].map(([id, { teamId, projectId }]) => ({ id, teamId, projectId }));
  const known = await executeBound<{ id: EventId }>(
    tx,
    `select e.id from events e join json_to_recordset($1::json) as k(id text, "teamId" text, "projectId" text)
         on (e.team_id, e.project_id, e.id) = ("teamId", "projectId", k.id)`,
    [JSON.stringify(keys)],
  );
  for (const { id } of known) byId.delete(id);
  return [...byId.values()];
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
              body, false, statement_timestamp() from given),
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
