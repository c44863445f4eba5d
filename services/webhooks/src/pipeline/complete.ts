import type { EntityManager } from '@mikro-orm/postgresql';
import type { Publish } from '@billing/messaging/outbox';
import { executeBound } from '@billing/database/bound-statement';
import { sumUp, type Completion } from '#domain/completion.ts';
import { publishChanges, RECORD_COLUMNS, type RecordRow } from './records.ts';

/** The projects whose report is awaited. An event that went to one project may not have been recorded as routed yet. */
const AWAITED = `case when e.awaiting = '{}' then c.projects else e.awaiting end`;
/** The projects in which it failed, of before and of the awaited ones. */
const FAILED_IN = `e.failed_in || array(select unnest(c.failed_in) intersect select unnest(${AWAITED}))`;
/** Whether no other project is awaited. */
const IS_LAST = `e.awaiting <@ c.projects`;
/** As an expression that has no statistics: where few events were received lately, the planner would look for them one by one. */
const IS_RECEIVED = `case e.status when 'received' then true else false end`;

/**
 * Records how projects handled events, in the caller's transaction, and returns the events that are complete now. An event
 * is complete when every project that it went to has reported; it failed if it failed in any. A second report of a project
 * changes nothing, unless the project failed first and has handled the event after all: a retried dead letter.
 */
export async function completeEvents(
  tx: EntityManager,
  completions: readonly Completion[],
  publish: Publish,
): Promise<readonly RecordRow[]> {
  const sums = sumUp(completions);
  if (sums.length === 0) return [];
  const rows = await executeBound<RecordRow & { is_complete: boolean }>(
    tx,
    `update webhook_events e
        set awaiting = case when ${IS_LAST} then '{}' else array(select unnest(e.awaiting) except select unnest(c.projects)) end,
            failed_in = ${FAILED_IN},
            routed_to = case when e.routed_to = '{}' then c.projects else e.routed_to end,
            project_id = coalesce(e.project_id, c.projects[1]), routed_by = coalesce(e.routed_by, c.routed_by),
            attempts = greatest(e.attempts, c.attempts),
            error = coalesce(c.error, e.error),
            status = case when not ${IS_LAST} then e.status when cardinality(${FAILED_IN}) > 0 then 'failed' else 'processed' end,
            processed_at = case when ${IS_LAST} then clock_timestamp() end,
            due_at = case when ${IS_LAST} then null else e.due_at end,
            lease_id = case when ${IS_LAST} then null else e.lease_id end,
            version = e.version + (${IS_LAST})::int
       from json_to_recordset($1::json) as
            c(team_id text, id text, projects text[], routed_by text, failed_in text[], attempts int, error text)
      where e.team_id = c.team_id and e.id = c.id and ${IS_RECEIVED} and (${AWAITED}) && c.projects
      returning ${RECORD_COLUMNS}, cardinality(e.awaiting) = 0 as is_complete`,
    [JSON.stringify(sums)],
  );
  const complete = rows.filter(row => row.is_complete);
  publishChanges([...complete, ...(await recover(tx, completions))], publish);
  return complete;
}

/** The projects in which the event failed and still is not handled. */
const STILL_FAILED = `array(select unnest(e.failed_in) except select unnest(c.projects))`;
const IS_RECOVERED = `e.failed_in <@ c.projects`;

/** Records that projects handled events in which they had failed, at a later attempt; returns the events that are processed now. */
async function recover(tx: EntityManager, completions: readonly Completion[]): Promise<readonly RecordRow[]> {
  const sums = sumUp(completions.filter(({ outcome, attempts }) => outcome === 'processed' && attempts > 1));
  if (sums.length === 0) return [];
  const rows = await executeBound<RecordRow & { is_recovered: boolean }>(
    tx,
    `update webhook_events e
        set failed_in = ${STILL_FAILED},
            error = case when ${IS_RECOVERED} then null else e.error end,
            attempts = greatest(e.attempts, c.attempts),
            status = case when ${IS_RECOVERED} and e.status = 'failed' then 'processed' else e.status end,
            processed_at = case when ${IS_RECOVERED} and e.status = 'failed' then clock_timestamp() else e.processed_at end,
            version = e.version + (${IS_RECOVERED} and e.status = 'failed')::int
       from json_to_recordset($1::json) as c(team_id text, id text, projects text[], attempts int)
      where e.team_id = c.team_id and e.id = c.id and e.failed_in && c.projects
      returning ${RECORD_COLUMNS}, e.status = 'processed' as is_recovered`,
    [JSON.stringify(sums)],
  );
  return rows.filter(row => row.is_recovered);
}
