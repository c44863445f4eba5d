import type { EntityManager } from '@mikro-orm/postgresql';
import type { ProjectId, TeamId } from '@billing/contracts/ids';
import type { Knowledge } from '#domain/route.ts';
import type { ClaimedEvent } from './claim.ts';

interface RouteRow {
  readonly team_id: string;
  readonly kind: string;
  readonly processor_id: string;
  readonly project_id: ProjectId;
  readonly deleted: boolean;
}

/** What this service knows by itself; projects that are not among its copies are still to be asked for. */
export type KnownRoutes = (teamId: TeamId) => Pick<Knowledge, 'isOwn' | 'projectsOf'>;

/** Reads in two statements all that is known of where a batch of events could go. */
export async function findKnownRoutes(em: EntityManager, events: readonly ClaimedEvent[]): Promise<KnownRoutes> {
  const [own, holders] = await Promise.all([findProjects(em, events), findHolders(em, events)]);
  return teamId => ({
    isOwn: project => (own.has(`${teamId} ${project}`) ? true : undefined),
    projectsOf: reference => holders.get(keyOf(teamId, reference)) ?? [],
  });
}

async function findProjects(em: EntityManager, events: readonly ClaimedEvent[]): Promise<Set<string>> {
  const named = events.flatMap(({ teamId, hints }) => hints.named.map(project => ({ team_id: teamId, project })));
  if (named.length === 0) return new Set();
  const rows = await em.fork().execute<{ team_id: string; project_id: string }[]>(
    `select distinct k.team_id, k.project_id from known_projects k
       join jsonb_to_recordset(?::jsonb) as n(team_id text, project text)
         on k.team_id = n.team_id and k.project_id = n.project`,
    [JSON.stringify(named)],
  );
  return new Set(rows.map(row => `${row.team_id} ${row.project_id}`));
}

async function findHolders(em: EntityManager, events: readonly ClaimedEvent[]): Promise<Map<string, ProjectId[]>> {
  const wanted = events.flatMap(({ teamId, hints }) => hints.references.map(it => ({ team_id: teamId, ...it })));
  if (wanted.length === 0) return new Map();
  const rows = await em.fork().execute<RouteRow[]>(
    `select r.team_id, r.kind, r.processor_id, r.project_id, bool_and(r.deleted) as deleted
       from routes r
       join (select distinct team_id, kind, id
               from jsonb_to_recordset(?::jsonb) as w(team_id text, kind text, id text)) w
         on r.team_id = w.team_id and r.kind = w.kind and r.processor_id = w.id
      group by r.team_id, r.kind, r.processor_id, r.project_id
      order by min(r.created_at), r.project_id`,
    [JSON.stringify(wanted)],
  );
  const groups = Map.groupBy(rows, row => keyOf(row.team_id, { kind: row.kind, id: row.processor_id }));
  return new Map([...groups].map(([key, found]) => [key, holding(found).map(row => row.project_id)]));
}

/** A deleted thing leads to its project only where no other project holds it. */
function holding(rows: readonly RouteRow[]): readonly RouteRow[] {
  const live = rows.filter(row => !row.deleted);
  return live.length > 0 ? live : rows;
}

const keyOf = (teamId: string, { kind, id }: { kind: string; id: string }) => `${teamId} ${kind} ${id}`;
