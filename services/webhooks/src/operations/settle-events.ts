import type { EntityManager } from '@mikro-orm/postgresql';
import { executeBound } from '@billing/service/bound-statement';
import { sumUp, type Completion } from '#domain/completion.ts';
import { RECORD_COLUMNS, type RecordRow } from '#persistence/record-row.ts';
import { recordChanges } from '#processing/record-facts.ts';

/** The worst of what was reported before and what is reported now. */
const OUTCOME = `case when 'failed' in (coalesce(e.outcome, ''), s.outcome) then 'failed'
                      when 'processed' in (coalesce(e.outcome, ''), s.outcome) then 'processed'
                      else 'ignored' end`;
/** Whether nobody else is awaited. */
const IS_LAST = `e.awaiting <@ s.projects`;

/**
 * Keeps how projects ended with events, in the caller's transaction. An event is settled when every project it went to
 * has reported; it failed if it failed in any. What a project reports a second time changes nothing.
 */
export async function settleEvents(tx: EntityManager, completions: readonly Completion[]): Promise<void> {
  const sums = sumUp(completions);
  if (sums.length === 0) return;
  const rows = await executeBound<RecordRow & { settled: boolean }>(
    tx,
    `update webhook_events e
        set awaiting = case when ${IS_LAST} then '{}' else array(select unnest(e.awaiting) except select unnest(s.projects)) end,
            failed_in = case when s.failed_in = '{}' then e.failed_in
                             else e.failed_in || array(select unnest(s.failed_in) intersect select unnest(e.awaiting)) end,
            outcome = ${OUTCOME},
            attempts = greatest(e.attempts, s.attempts),
            error = coalesce(s.error, e.error),
            status = case when ${IS_LAST} then ${OUTCOME} else e.status end,
            processed_at = case when ${IS_LAST} then clock_timestamp() end,
            tell_at = case when ${IS_LAST} then null else e.tell_at end,
            version = e.version + (${IS_LAST})::int
       from json_to_recordset($1::json) as
            s(team_id text, id text, projects text[], failed_in text[], outcome text, attempts int, error text)
      where e.team_id = s.team_id and e.id = s.id and e.awaiting && s.projects
      returning ${RECORD_COLUMNS}, cardinality(e.awaiting) = 0 as settled`,
    [JSON.stringify(sums)],
  );
  await recordChanges(
    tx,
    rows.filter(row => row.settled),
  );
}
