import type { EntityManager } from '@mikro-orm/postgresql';
import type { ProjectId, TeamId } from '@billing/contracts/ids';
import { executeBound } from '@billing/database/bound-statement';
import type { Reference, RouteHints } from '#domain/route-hints.ts';
import type { RouteLookup } from '#domain/route.ts';

/** Which project one of Stripe's objects belongs to, according to our record of it. */
export interface RouteRecord {
  readonly teamId: TeamId;
  /** Our id of the record, or Stripe's where the owning service has none yet. */
  readonly resourceId: string;
  readonly reference: Reference;
  readonly projectId: ProjectId;
  readonly version: number;
  readonly createdAt: Date;
  readonly deleted: boolean;
}

/**
 * Upserts routes that are newer than the known ones, in the caller's transaction, and makes events due that found no
 * project for want of them.
 */
export async function saveRoutes(tx: EntityManager, records: readonly RouteRecord[]): Promise<void> {
  const named = records.filter(({ reference }) => reference.id !== '');
  if (named.length === 0) return;
  await executeBound(
    tx,
    `insert into routes as known (team_id, resource_id, kind, processor_id, project_id, version, created_at, deleted)
     select * from json_to_recordset($1::json) as
       r(team_id text, resource_id text, kind text, processor_id text, project_id text, version int,
         created_at timestamptz, deleted boolean)
     on conflict (team_id, resource_id) do update set
       processor_id = excluded.processor_id, version = excluded.version, deleted = excluded.deleted
     where known.version < excluded.version and known.project_id = excluded.project_id`,
    [JSON.stringify(newestOfEach(named).map(toRow))],
  );
  for (const [teamId, ofTeam] of Map.groupBy(named, it => it.teamId))
    await wakeWaiting(
      tx,
      teamId,
      ofTeam.map(({ reference }) => reference.id),
    );
}

/**
 * Makes events due that found no project, foreign and failed ones too, and that name one of Stripe's ids. One that is being
 * processed loses its lease: it may have looked for its project before there was one. An event that waits has a
 * `routing_attempts` above zero, so that its next routing clears what it waits for.
 */
async function wakeWaiting(tx: EntityManager, teamId: TeamId, ids: readonly string[]): Promise<void> {
  await executeBound(
    tx,
    `update webhook_events
        set due_at = clock_timestamp(), lease_id = null, processed_at = null, status = 'received',
            error = case when status = 'received' then error end,
            routing_attempts = case when status = 'received' then routing_attempts else 1 end,
            version = version + (status <> 'received')::int
      where team_id = $1 and waiting_for is not null and waiting_for && $2::text[] and payload is not null`,
    [teamId, ids],
  );
}

/** One statement changes a row only once; in one order, so that two writers never wait for each other in a circle. */
function newestOfEach(records: readonly RouteRecord[]): RouteRecord[] {
  const newest = new Map<string, RouteRecord>();
  for (const it of records) {
    const key = `${it.teamId} ${it.resourceId}`;
    const other = newest.get(key);
    if (!other || other.version < it.version) newest.set(key, it);
  }
  return [...newest].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, it]) => it);
}

function toRow({ teamId, resourceId, reference, projectId, version, createdAt, deleted }: RouteRecord) {
  return {
    team_id: teamId,
    resource_id: resourceId,
    kind: reference.kind,
    processor_id: reference.id,
    project_id: projectId,
    version,
    created_at: createdAt,
    deleted,
  };
}

/** Records that the team has these projects. */
export async function saveProjects(
  tx: EntityManager,
  projects: readonly { readonly teamId: TeamId; readonly projectId: ProjectId }[],
): Promise<void> {
  const rows = projects.map(({ teamId, projectId }) => ({ team_id: teamId, project_id: projectId }));
  await executeBound(
    tx,
    `insert into project_copies (team_id, project_id)
     select team_id, project_id from json_to_recordset($1::json) as p(team_id text, project_id text)
      order by team_id, project_id
     on conflict do nothing`,
    [JSON.stringify(rows)],
  );
}

interface HintedEvent {
  readonly teamId: TeamId;
  readonly hints: RouteHints;
}

interface RouteRow {
  readonly team_id: string;
  readonly kind: string;
  readonly processor_id: string;
  readonly project_id: ProjectId;
  readonly deleted: boolean;
}

/** What this service's own tables say; projects that are not among its copies must be looked up at the gateway. */
export type Routes = (teamId: TeamId) => Pick<RouteLookup, 'isOwn' | 'projectsOf'>;

/** Reads in two statements, in the caller's transaction, everything that is known about where a batch of events could go. */
export async function readRoutes(em: EntityManager, events: readonly HintedEvent[]): Promise<Routes> {
  const own = await findProjects(em, events);
  const holders = await findHolders(em, events);
  return teamId => ({
    isOwn: project => (own.has(`${teamId} ${project}`) ? true : undefined),
    projectsOf: reference => holders.get(keyOf(teamId, reference)) ?? [],
  });
}

async function findProjects(em: EntityManager, events: readonly HintedEvent[]): Promise<Set<string>> {
  const named = events.flatMap(({ teamId, hints }) => hints.named.map(project => ({ team_id: teamId, project })));
  if (named.length === 0) return new Set();
  const rows = await executeBound<{ team_id: string; project_id: string }>(
    em,
    `select distinct p.team_id, p.project_id from project_copies p
       join json_to_recordset($1::json) as n(team_id text, project text)
         on p.team_id = n.team_id and p.project_id = n.project`,
    [JSON.stringify(named)],
  );
  return new Set(rows.map(row => `${row.team_id} ${row.project_id}`));
}

async function findHolders(em: EntityManager, events: readonly HintedEvent[]): Promise<Map<string, ProjectId[]>> {
  const references = events.flatMap(({ teamId, hints }) => hints.references.map(it => ({ team_id: teamId, ...it })));
  if (references.length === 0) return new Map();
  const rows = await executeBound<RouteRow>(
    em,
    `select r.team_id, r.kind, r.processor_id, r.project_id, bool_and(r.deleted) as deleted
       from routes r
       join (select distinct team_id, kind, id
               from json_to_recordset($1::json) as w(team_id text, kind text, id text)) w
         on r.team_id = w.team_id and r.kind = w.kind and r.processor_id = w.id
      group by r.team_id, r.kind, r.processor_id, r.project_id
      order by min(r.created_at), r.project_id`,
    [JSON.stringify(references)],
  );
  const groups = Map.groupBy(rows, row => keyOf(row.team_id, { kind: row.kind, id: row.processor_id }));
  return new Map([...groups].map(([key, found]) => [key, preferLive(found).map(row => row.project_id)]));
}

/** A deleted record leads to its project only where no other project has a live one. */
function preferLive(rows: readonly RouteRow[]): readonly RouteRow[] {
  const live = rows.filter(row => !row.deleted);
  return live.length > 0 ? live : rows;
}

const keyOf = (teamId: string, { kind, id }: { kind: string; id: string }) => `${teamId} ${kind} ${id}`;
