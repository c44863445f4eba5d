import type { EntityManager } from '@mikro-orm/postgresql';
import type { ProjectId, TeamId } from '@billing/contracts/ids';
import { executeBound } from '@billing/database/bound-statement';
import type { ReferenceKind, RouteHints } from './route-hints.rules.ts';
import type { RouteLookup } from './route.rules.ts';
import { CHANGE_COLUMNS, former, type Change } from './event-totals.ts';

/** Which project one of Stripe's objects belongs to, according to our record of it. */
export interface RouteRecord {
  readonly teamId: TeamId;
  /** Our id of the record, or Stripe's where the owning service has none yet. */
  readonly resourceId: string;
  readonly kind: ReferenceKind;
  /** Stripe's id. */
  readonly processorId: string;
  readonly projectId: ProjectId;
  readonly version: number;
  readonly createdAt: Date;
  readonly deleted: boolean;
}

/** The route of a subscription that its owner has not recorded yet. */
export const subscriptionRoute = (
  subscription: Pick<RouteRecord, 'teamId' | 'projectId' | 'processorId' | 'createdAt'>,
): RouteRecord => ({
  ...subscription,
  resourceId: subscription.processorId,
  kind: 'subscription',
  version: 1,
  deleted: false,
});

/**
 * Upserts routes that are newer than the known ones, in the caller's transaction, and makes events due that found no
 * project for want of them; the caller counts how they changed. The rows are written in one order, so that two writers never
 * wait for each other in a circle.
 */
export async function saveRoutes(tx: EntityManager, records: readonly RouteRecord[]): Promise<Change[]> {
  const named = records.filter(({ processorId }) => processorId !== '');
  if (named.length === 0) return [];
  await executeBound(
    tx,
    `insert into routes as known (team_id, resource_id, kind, processor_id, project_id, version, created_at, deleted)
     select distinct on ("teamId" collate "C", "resourceId" collate "C")
            "teamId", "resourceId", kind, "processorId", "projectId", version, "createdAt", deleted
       from json_to_recordset($1::json) as
            r("teamId" text, "resourceId" text, kind text, "processorId" text, "projectId" text, version int,
              "createdAt" timestamptz, deleted boolean)
      order by "teamId" collate "C", "resourceId" collate "C", version desc
     on conflict (team_id, resource_id) do update set
       processor_id = excluded.processor_id, version = excluded.version, deleted = excluded.deleted
     where known.version < excluded.version and known.project_id = excluded.project_id`,
    [JSON.stringify(named)],
  );
  const woken: Change[] = [];
  for (const [teamId, ofTeam] of Map.groupBy(named, it => it.teamId)) {
    const ids = ofTeam.map(({ processorId }) => processorId);
    woken.push(...(await wakeWaiting(tx, teamId, ids)));
  }
  return woken;
}

/**
 * Makes events due that found no project, foreign and failed ones too, and that name one of Stripe's ids. One that is being
 * processed loses its lease: it may have looked for its project before there was one. An event that waits has a
 * `routing_attempts` above zero, so that its next routing clears what it waits for.
 */
function wakeWaiting(tx: EntityManager, teamId: TeamId, ids: readonly string[]): Promise<readonly Change[]> {
  return executeBound<Change>(
    tx,
    `with ${former('e.team_id = $1 and e.waiting_for is not null and e.waiting_for && $2::text[] and e.payload is not null')}
     update webhook_events e
        set due_at = clock_timestamp(), lease_id = null, processed_at = null, status = 'received',
            error = case when e.status = 'received' then e.error end,
            routing_attempts = case when e.status = 'received' then e.routing_attempts else 1 end
       from former f
      where e.team_id = f.team_id and e.id = f.id
      returning ${CHANGE_COLUMNS}`,
    [teamId, ids],
  );
}

/** Records that the team has these projects. */
export async function saveProjects(
  tx: EntityManager,
  projects: readonly { readonly teamId: TeamId; readonly projectId: ProjectId }[],
): Promise<void> {
  await executeBound(
    tx,
    `insert into project_copies (team_id, project_id)
     select "teamId", "projectId" from json_to_recordset($1::json) as p("teamId" text, "projectId" text) order by 1, 2
     on conflict do nothing`,
    [JSON.stringify(projects)],
  );
}

/** Returns a team's projects, by id. */
export async function findProjects(em: EntityManager, teamId: TeamId): Promise<ProjectId[]> {
  const rows = await em.execute<{ id: ProjectId }[]>(
    `select project_id as id from project_copies where team_id = ? order by project_id`,
    [teamId],
  );
  return rows.map(({ id }) => id);
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
}

/** What this service's own tables say; projects that are not among its copies must be looked up at the gateway. */
export type Routes = (teamId: TeamId) => Pick<RouteLookup, 'isOwn' | 'projectsOf'>;

/** Reads in two statements, in the caller's transaction, what is known about where a batch of events could go. */
export async function readRoutes(em: EntityManager, events: readonly HintedEvent[]): Promise<Routes> {
  const own = await findNamed(em, events);
  // An event that names a project of the team goes there, whoever has the ids that it names, unless it goes to all of these.
  const open = events.filter(
    ({ teamId, hints }) => hints.fansOut || !hints.named.some(project => own.has(`${teamId} ${project}`)),
  );
  const holders = await findHolders(em, open);
  return teamId => ({
    isOwn: project => (own.has(`${teamId} ${project}`) ? true : undefined),
    projectsOf: reference => holders.get(keyOf(teamId, reference)) ?? [],
  });
}

async function findNamed(em: EntityManager, events: readonly HintedEvent[]): Promise<Set<string>> {
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

/** A deleted record leads to its project only where no other project has a live one. */
async function findHolders(em: EntityManager, events: readonly HintedEvent[]): Promise<Map<string, ProjectId[]>> {
  const references = events.flatMap(({ teamId, hints }) => hints.references.map(it => ({ team_id: teamId, ...it })));
  if (references.length === 0) return new Map();
  const rows = await executeBound<RouteRow>(
    em,
    `select * from (
       select r.team_id, r.kind, r.processor_id, r.project_id, min(r.created_at) as created_at, bool_and(r.deleted) as deleted,
              bool_and(bool_and(r.deleted)) over (partition by r.team_id, r.kind, r.processor_id) as is_deleted_everywhere
         from routes r
         join (select distinct team_id, kind, id
                 from json_to_recordset($1::json) as w(team_id text, kind text, id text)) w
           on r.team_id = w.team_id and r.kind = w.kind and r.processor_id = w.id
        group by r.team_id, r.kind, r.processor_id, r.project_id) as holders
      where is_deleted_everywhere or not deleted order by created_at, project_id`,
    [JSON.stringify(references)],
  );
  const groups = Map.groupBy(rows, row => keyOf(row.team_id, { kind: row.kind, id: row.processor_id }));
  return new Map([...groups].map(([key, found]) => [key, found.map(row => row.project_id)]));
}

const keyOf = (teamId: string, { kind, id }: { kind: string; id: string }) => `${teamId} ${kind} ${id}`;
