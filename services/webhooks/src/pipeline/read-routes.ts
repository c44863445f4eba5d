import type { EntityManager } from '@mikro-orm/postgresql';
import type { ProjectId, TeamId } from '@billing/contracts/ids';
import { executeBound } from '@billing/database/bound-statement';
import type { RouteLookup } from '#domain/route.ts';
import type { PipelineEvent } from './lease.ts';

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
export async function readRoutes(em: EntityManager, events: readonly PipelineEvent[]): Promise<Routes> {
  const own = await findProjects(em, events);
  const holders = await findHolders(em, events);
  return teamId => ({
    isOwn: project => (own.has(`${teamId} ${project}`) ? true : undefined),
    projectsOf: reference => holders.get(keyOf(teamId, reference)) ?? [],
  });
}

async function findProjects(em: EntityManager, events: readonly PipelineEvent[]): Promise<Set<string>> {
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

async function findHolders(em: EntityManager, events: readonly PipelineEvent[]): Promise<Map<string, ProjectId[]>> {
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
