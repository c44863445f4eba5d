import type { EntityManager } from '@mikro-orm/postgresql';
import type { ProjectId, TeamId } from '@billing/contracts/ids';
import { executeBound } from '@billing/service/bound-statement';
import type { Reference } from '#domain/reference.ts';

/** What a fact about a customer, subscription, product or price says of where the processor's twin belongs. */
export interface Held {
  /** Our id of it. */
  readonly resourceId: string;
  readonly reference: Reference;
  readonly projectId: ProjectId;
  readonly version: number;
  readonly createdAt: Date;
  readonly deleted: boolean;
}

/** Something held, and the team whose it is. */
type HeldByTeam = Held & { readonly teamId: TeamId };

/**
 * Keeps which project holds a thing of the processor, if this is newer than what is known, and makes events due that
 * found no project for want of it.
 */
export function keepRoute(tx: EntityManager, teamId: TeamId, held: Held): Promise<void> {
  return keepRoutes(tx, [{ teamId, ...held }]);
}

/** Does what `keepRoute` does for many things, with one statement per table. */
export async function keepRoutes(tx: EntityManager, held: readonly HeldByTeam[]): Promise<void> {
  const named = held.filter(({ reference }) => reference.id !== '');
  if (named.length === 0) return;
  await executeBound(
    tx,
    `insert into routes as known (team_id, resource_id, kind, processor_id, project_id, version, created_at, deleted)
     select * from json_to_recordset($1::json) as
       h(team_id text, resource_id text, kind text, processor_id text, project_id text, version int,
         created_at timestamptz, deleted boolean)
     on conflict (team_id, resource_id) do update set
       processor_id = excluded.processor_id, version = excluded.version, deleted = excluded.deleted
     where known.version < excluded.version and known.project_id = excluded.project_id`,
    [JSON.stringify(newestOfEach(named).map(toRow))],
  );
  for (const [teamId, ofTeam] of Map.groupBy(named, it => it.teamId)) {
    await executeBound(
      tx,
      `update webhook_events set due_at = clock_timestamp()
        where team_id = $1 and waiting_for is not null and waiting_for && $2::text[] and claim_id is null`,
      [teamId, ofTeam.map(({ reference }) => reference.id)],
    );
  }
}

/** One statement changes a row only once; in one order, so that two writers never wait for each other in a circle. */
function newestOfEach(held: readonly HeldByTeam[]): HeldByTeam[] {
  const newest = new Map<string, HeldByTeam>();
  for (const it of held) {
    const key = `${it.teamId} ${it.resourceId}`;
    const other = newest.get(key);
    if (!other || other.version < it.version) newest.set(key, it);
  }
  return [...newest].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, it]) => it);
}

function toRow({ teamId, resourceId, reference, projectId, version, createdAt, deleted }: HeldByTeam) {
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

/** Keeps that the team has a project. */
export async function keepProject(tx: EntityManager, teamId: TeamId, projectId: ProjectId): Promise<void> {
  await tx.execute(`insert into known_projects (team_id, project_id) values (?, ?) on conflict do nothing`, [
    teamId,
    projectId,
  ]);
}
