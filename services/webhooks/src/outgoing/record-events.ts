import type { EntityManager } from '@mikro-orm/postgresql';
import { setTimeout as pause } from 'node:timers/promises';
import { EventsRecorded, ResourceChanged, type ResourceChange } from '@billing/contracts/events/resources';
import type { TeamId } from '@billing/contracts/ids';
import { executeBound } from '@billing/database/bound-statement';
import { consumer, type Consumer } from '@billing/messaging/consumer/consumer';
import { eventBody, eventIdOf } from './event-body.ts';

/** How long an event waits for the one before it of the same object, in milliseconds. */
const PATIENCE_MS = 30_000;
const POLL_MS = 100;

type Delivered = ResourceChange & { readonly teamId: TeamId };

/**
 * Records every change of a resource once, as an event with a position in its project. The lock of the project's counter
 * lets one transaction at a time give out positions: who has read one never finds a new event below it. Events of an object
 * keep their order; one whose predecessor does not come within 30 seconds goes ahead.
 */
export function eventRecorder(em: EntityManager): Consumer {
  return consumer('webhooks-resources', ResourceChanged.name).on(ResourceChanged, {
    prepare: async ({ teamId, data }) => {
      await waitForPredecessor(em, { teamId, ...data });
      return 'waited' as const;
    },
    handle: async (tx, deliveries, publish) => {
      const positions = await lockPositions(
        tx,
        deliveries.map(({ teamId, data }) => ({ teamId, ...data })),
      );
      const sequences = await findSequences(
        tx,
        deliveries.map(({ teamId, data }) => ({ teamId, ...data })),
      );
      const inOrder = deliveries.toSorted((a, b) => a.data.object.sequence - b.data.object.sequence);
      const [unprepared, recorded] = [[] as typeof inOrder, [] as NewEvent[]];
      for (const delivery of inOrder) {
        const change = { teamId: delivery.teamId, ...delivery.data };
        const [key, project] = [objectKey(change), projectKey(change)];
        const known = sequences.get(key) ?? 0;
        const { sequence } = change.object;
        if (sequence <= known) continue;
        if (sequence > known + 1 && !delivery.context) {
          unprepared.push(delivery);
          continue;
        }
        const counter = positions.get(project);
        if (!counter) throw new Error('The counter of a project was not locked.');
        counter.position += 1;
        sequences.set(key, sequence);
        recorded.push({ change, position: counter.position, livemode: counter.livemode });
      }
      await save(tx, recorded);
      for (const [teamId, ofTeam] of Map.groupBy(recorded, ({ change }) => change.teamId))
        publish(EventsRecorded, teamId, { projectIds: [...new Set(ofTeam.map(({ change }) => change.projectId))] });
      return unprepared;
    },
  });
}

interface NewEvent {
  readonly change: Delivered;
  readonly position: number;
  readonly livemode: boolean;
}

const projectKey = ({ teamId, projectId }: Delivered): string => `${teamId} ${projectId}`;
const objectKey = ({ object, ...change }: Delivered): string =>
  `${projectKey(change as Delivered)} ${object.type} ${object.id}`;

/** Waits until the event before this one of the same object is recorded, or for 30 seconds. */
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
    `select p.team_id as "teamId", p.project_id as "projectId", p.position::float8 as position,
            coalesce((select livemode from processor_accounts a where a.team_id = p.team_id), false) as livemode
       from event_positions p
       join json_to_recordset($1::json) as k(team_id text, project_id text) using (team_id, project_id)
      order by team_id, project_id for update of p`,
    [keys],
  );
  return new Map(
    rows.map(({ teamId, projectId, position, livemode }) => [`${teamId} ${projectId}`, { position, livemode }]),
  );
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

/** Writes events, how far their objects and projects are, and that endpoints have something to read. */
async function save(tx: EntityManager, recorded: readonly NewEvent[]): Promise<void> {
  if (recorded.length === 0) return;
  const rows = recorded.map(({ change, position, livemode }) => ({
    team_id: change.teamId,
    project_id: change.projectId,
    position,
    id: eventIdOf(change),
    type: change.type,
    object_type: change.object.type,
    object_id: change.object.id,
    sequence: change.object.sequence,
    happened_at: change.at,
    is_from_sync: change.cause.type === 'sync',
    body: eventBody({ ...change, position, livemode }),
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
       on conflict (team_id, project_id, object_type, object_id) do update set sequence = excluded.sequence),
     projects as (
       select team_id, project_id, max(position) as position from given group by 1, 2),
     counted as (
       update event_positions p set position = projects.position from projects
        where (p.team_id, p.project_id) = (projects.team_id, projects.project_id))
     update webhook_endpoints e
        set wanted_position = projects.position,
            due_at = case when lease_id is null and status = 'enabled' then statement_timestamp() else due_at end
       from projects
      where (e.team_id, e.project_id) = (projects.team_id, projects.project_id) and e.status <> 'disabled'`,
    [JSON.stringify(rows)],
  );
}
