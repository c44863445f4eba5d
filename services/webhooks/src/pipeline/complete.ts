import type { EntityManager } from '@mikro-orm/postgresql';
import type { Publish } from '@billing/messaging/outbox';
import { executeBound } from '@billing/database/bound-statement';
import { sumUp, type Completion, type ReportSum } from './completion.rules.ts';
import { CHANGE_COLUMNS, countChanges, former, type Change } from './event-totals.ts';
import { nameOf, type PipelineEvent } from './lease.ts';
import { recordOutcomes, type Ended } from './outcome-metrics.ts';

/** An event on which awaited projects have reported. */
export interface Reported extends Pick<PipelineEvent, 'teamId' | 'id'> {
  /** Whether no other project is awaited. */
  readonly isComplete: boolean;
  /** How many have reported. */
  readonly projects: number;
}

/**
 * Records how projects handled events, in the caller's transaction and after everything else in it. An event is complete when
 * every project that it went to has reported; it failed if it failed in any. A second report of a project changes nothing,
 * unless the project failed first and has handled the event after all: a retried dead letter.
 */
export async function completeEvents(
  tx: EntityManager,
  completions: readonly Completion[],
  publish: Publish,
): Promise<readonly Reported[]> {
  const sums = new Map(sumUp(completions).map(sum => [nameOf({ teamId: sum.team_id, id: sum.id }), sum]));
  const unrecorded = await completeUnrecorded(tx, [...sums.values()]);
  const done = new Set(unrecorded.map(nameOf));
  const others = [...sums].flatMap(([name, sum]) => (done.has(name) ? [] : [sum]));
  const recorded = [...unrecorded, ...(await completeRecorded(tx, others))];
  const changed = [...recorded.filter(({ isComplete }) => isComplete), ...(await recover(tx, completions))];
  recordOutcomes(changed.filter(({ syncId }) => syncId === null));
  await countChanges(tx, publish, changed);
  return recorded.map(row => ({ ...row, projects: sums.get(nameOf(row))?.projects.length ?? 1 }));
}

type CompletedRow = Pick<PipelineEvent, 'teamId' | 'id'> & Change & Ended & { readonly isComplete: boolean };

const ENDED_COLUMNS = `
  e.id, e.type, e.recovered, extract(epoch from e.processed_at - e.processor_created_at)::float8 as age`;

/** As expressions that have no statistics: where few events were received lately, the planner would look for them one by one. */
const IS_UNRECORDED = `case when e.project_id is null then e.status = 'received' else false end`;
const IS_RECORDED = `case when e.project_id is null then false else e.status = 'received' end`;

/** Rows of reports. */
const REPORTS = `json_to_recordset($1::json) as
            c(team_id text, id text, projects text[], routed_by text, failed_in text[], attempts int, error text)`;

/**
 * Completes events whose rows do not say yet where they went: nearly all. They went to one project, and the completion alone
 * records it.
 */
async function completeUnrecorded(tx: EntityManager, sums: readonly ReportSum[]): Promise<readonly CompletedRow[]> {
  if (sums.length === 0) return [];
  return executeBound<CompletedRow>(
    tx,
    `update webhook_events e
        set status = case when c.failed_in = '{}' then 'processed' else 'failed' end,
            project_id = c.projects[1], routed_by = c.routed_by, routed_to = c.projects, failed_in = c.failed_in,
            attempts = greatest(e.attempts, c.attempts), error = coalesce(c.error, e.error),
            processed_at = clock_timestamp(), due_at = null, lease_id = null
       from ${REPORTS}
      where e.team_id = c.team_id and e.id = c.id and ${IS_UNRECORDED}
      returning e.team_id as "teamId", e.project_id as "projectId", e.status, e.sync_id as "syncId",
                null as "formerProjectId", 'received' as "formerStatus", true as "isComplete", ${ENDED_COLUMNS}`,
    [JSON.stringify(sums)],
    { isDynamic: true },
  );
}

/** The projects whose report is awaited. An event that was replayed from the search for its project has none yet. */
const AWAITED = `case when e.awaiting = '{}' then c.projects else e.awaiting end`;
/** The projects in which it failed, of before and of the awaited ones. */
const FAILED_IN = `e.failed_in || array(select unnest(c.failed_in) intersect select unnest(${AWAITED}))`;
/** Whether no other project is awaited. */
const IS_LAST = `e.awaiting <@ c.projects`;

/** Records reports on events whose rows say where they went. */
async function completeRecorded(tx: EntityManager, sums: readonly ReportSum[]): Promise<readonly CompletedRow[]> {
  if (sums.length === 0) return [];
  return executeBound<CompletedRow>(
    tx,
    `update webhook_events e
        set awaiting = case when ${IS_LAST} then '{}' else array(select unnest(e.awaiting) except select unnest(c.projects)) end,
            failed_in = ${FAILED_IN},
            attempts = greatest(e.attempts, c.attempts),
            error = coalesce(c.error, e.error),
            status = case when not ${IS_LAST} then e.status when cardinality(${FAILED_IN}) > 0 then 'failed' else 'processed' end,
            processed_at = case when ${IS_LAST} then clock_timestamp() end,
            due_at = case when ${IS_LAST} then null else e.due_at end,
            lease_id = case when ${IS_LAST} then null else e.lease_id end
       from ${REPORTS}
      where e.team_id = c.team_id and e.id = c.id and ${IS_RECORDED} and (${AWAITED}) && c.projects
      returning e.team_id as "teamId", e.project_id as "projectId", e.status, e.sync_id as "syncId",
                e.project_id as "formerProjectId", 'received' as "formerStatus",
                cardinality(e.awaiting) = 0 as "isComplete", ${ENDED_COLUMNS}`,
    [JSON.stringify(sums)],
    { isDynamic: true },
  );
}

/** The projects in which the event failed and still is not handled. */
const STILL_FAILED = `array(select unnest(e.failed_in) except select unnest(c.projects))`;
const IS_RECOVERED = `e.failed_in <@ c.projects`;

/** Records that projects handled events in which they had failed, at a later attempt; returns the events that are processed now. */
async function recover(tx: EntityManager, completions: readonly Completion[]): Promise<readonly CompletedRow[]> {
  const sums = sumUp(completions.filter(({ outcome, attempts }) => outcome === 'processed' && attempts > 1));
  if (sums.length === 0) return [];
  const rows = await executeBound<CompletedRow>(
    tx,
    `with c as materialized (select * from ${REPORTS}),
     ${former('e.team_id = c.team_id and e.id = c.id and e.failed_in && c.projects', 'cross join c')}
     update webhook_events e
        set failed_in = ${STILL_FAILED},
            error = case when ${IS_RECOVERED} then null else e.error end,
            attempts = greatest(e.attempts, c.attempts),
            status = case when ${IS_RECOVERED} and e.status = 'failed' then 'processed' else e.status end,
            processed_at = case when ${IS_RECOVERED} and e.status = 'failed' then clock_timestamp() else e.processed_at end
       from former f join c using (team_id, id)
      where e.team_id = f.team_id and e.id = f.id
      returning ${CHANGE_COLUMNS}, true as "isComplete", ${ENDED_COLUMNS}`,
    [JSON.stringify(sums)],
    { isDynamic: true },
  );
  return rows.filter(({ status, formerStatus }) => status !== formerStatus);
}
