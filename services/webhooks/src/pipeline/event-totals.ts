import type { EntityManager } from '@mikro-orm/postgresql';
import { WebhookEventsCounted } from '@billing/contracts/events/webhooks';
import type { ProjectId, SyncId, TeamId } from '@billing/contracts/ids';
import type { WebhookEventStatus } from '@billing/contracts/resources/webhook-event';
import { executeBound } from '@billing/database/bound-statement';
import type { Publish } from '@billing/messaging/outbox';

/** A row of `webhook_events` whose status or project changed. */
export interface Change {
  readonly teamId: TeamId;
  readonly projectId: ProjectId | null;
  readonly status: WebhookEventStatus;
  readonly formerProjectId: ProjectId | null;
  readonly formerStatus: WebhookEventStatus;
  /** The sync that has read the object, in place of an event: it is counted nowhere. */
  readonly syncId: SyncId | null;
}

/**
 * A common table expression `former`: the rows of `webhook_events e` for which a condition holds, as they are before the
 * statement changes them. Nobody else changes them meanwhile.
 */
export const former = (where: string, from = ''): string => `
  former as materialized (
    select e.team_id, e.id, e.project_id, e.status from webhook_events e ${from} where ${where} for update of e)`;

/** What a statement returns that changes the rows `e` of the table expression `f`, which is `former`. */
export const CHANGE_COLUMNS = `
  e.team_id as "teamId", e.project_id as "projectId", e.status, e.sync_id as "syncId",
  f.project_id as "formerProjectId", f.status as "formerStatus"`;

/**
 * Adds changes to the totals of their projects, in the transaction that makes them, and publishes these. Totals stay locked
 * until the transaction ends, so it changes no events after that: another one may hold those and wait for the totals.
 */
export async function countChanges(tx: EntityManager, publish: Publish, changes: readonly Change[]): Promise<void> {
  const differences = sumUp(changes);
  if (differences.length === 0) return;
  const totals = await executeBound<Totals>(
    tx,
    `insert into webhook_event_totals as known (team_id, project_id, total, processed, failed, version)
     select "teamId", "projectId", total, processed, failed, 1
       from json_to_recordset($1::json) as d("teamId" text, "projectId" text, total int, processed int, failed int)
      order by "teamId" collate "C", "projectId" collate "C"
     on conflict (team_id, project_id) do update
        set total = known.total + excluded.total, processed = known.processed + excluded.processed,
            failed = known.failed + excluded.failed, version = known.version + 1
     returning team_id as "teamId", project_id as "projectId", ${NUMBERS}`,
    [JSON.stringify(differences)],
  );
  for (const { teamId, ...data } of totals) publish(WebhookEventsCounted, teamId, data);
}

interface Totals {
  readonly teamId: TeamId;
  readonly projectId: ProjectId;
  readonly total: number;
  readonly processed: number;
  readonly failed: number;
  readonly version: number;
}

const NUMBERS = 'total::float8, processed::float8, failed::float8, version::float8';

/** By how much changes make the totals of each project differ; projects whose totals stay the same are left out. */
function sumUp(changes: readonly Change[]): Omit<Totals, 'version'>[] {
  const differences = new Map<string, Omit<Totals, 'version'>>();
  const add = (teamId: TeamId, projectId: ProjectId | null, status: WebhookEventStatus, by: 1 | -1): void => {
    if (projectId === null) return;
    const key = `${teamId} ${projectId}`;
    const { total, processed, failed } = differences.get(key) ?? { total: 0, processed: 0, failed: 0 };
    differences.set(key, {
      teamId,
      projectId,
      total: total + by,
      processed: processed + (status === 'processed' ? by : 0),
      failed: failed + (status === 'failed' ? by : 0),
    });
  };
  for (const { teamId, projectId, status, formerProjectId, formerStatus, syncId } of changes) {
    if (syncId !== null) continue;
    add(teamId, formerProjectId, formerStatus, -1);
    add(teamId, projectId, status, 1);
  }
  return [...differences.values()].filter(({ total, processed, failed }) => total || processed || failed);
}

/** Returns the totals of a project's events; zeros before the first. */
export async function readTotals(em: EntityManager, teamId: TeamId, projectId: ProjectId) {
  const [totals] = await executeBound<Omit<Totals, 'teamId' | 'projectId'>>(
    em,
    `select ${NUMBERS} from webhook_event_totals where team_id = $1 and project_id = $2`,
    [teamId, projectId],
  );
  return totals ?? { total: 0, processed: 0, failed: 0, version: 0 };
}
