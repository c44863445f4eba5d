import type { EntityManager } from '@mikro-orm/postgresql';
import { skipped, type Page } from '@billing/contracts/pagination';
import type { CustomerId, SubscriptionId } from '@billing/contracts/ids';
import type { CancellationCount, ListedReason } from '@billing/contracts/resources/analytics';
import type { Cancellation } from '@billing/contracts/resources/cancellation';
import type { SubscriptionStatus } from '@billing/contracts/resources/subscription';
import { executeBound, textArray } from '@billing/database/bound-statement';
import { follows, placeBefore, timeText } from '@billing/database/cursors';
import { LIFETIME_METRIC } from '#domain/metrics.ts';
import type { TrialCounts } from '#domain/trials.ts';
import type { Window } from '#domain/window.ts';
import type { GenerationScope } from './projects.ts';

/** A subscription behind a metric. */
export interface SubscriptionRow {
  readonly id: SubscriptionId;
  readonly customerId: CustomerId;
  readonly status: SubscriptionStatus;
  /** Null without items. */
  readonly currency: string | null;
  readonly amount: string;
  readonly liveMetric: string | null;
  /** The time that the list is in the order of. */
  readonly at: string;
}

const shown = (time: string) =>
  `id, customer_id as "customerId", status, currency, amount, live_metric as "liveMetric", ${timeText(time)} as at`;

/** SQL for the rows that follow the page's cursor, and how many of them. Its values are `pageValues`, from `$first` on. */
const pageOf = (time: string, first: number) =>
  `and ($${first + 2}::text is null or ${follows(time, 'r.id', `$${first + 2}`, `$${first + 3}`)})
   order by ${time} desc, r.id limit $${first} offset $${first + 1}`;

/** One row more than the page has tells whether there are more. */
function pageValues(page: Page): unknown[] {
  const place = placeBefore(page);
  return [page.limit + 1, skipped(page), place?.at ?? null, place?.id ?? null];
}

/** A live subscription, with the part of its newest state that is counted. */
export interface LiveRow extends SubscriptionRow {
  readonly subscription: unknown;
}

/** Lists a page of the subscriptions that count in any of the metrics, newest first; each metric is read up to the page. */
export async function listLive(
  em: EntityManager,
  { teamId, projectId, generation }: GenerationScope,
  metrics: readonly string[],
  page: Page,
): Promise<readonly LiveRow[]> {
  if (metrics.length === 0) return [];
  return executeBound<LiveRow>(
    em,
    `select ${shown('created_at')}, subscription
       from unnest($4::text[]) as wanted (metric)
      cross join lateral (
            select * from tracked_records r
             where r.team_id = $1 and r.project_id = $2 and r.generation = $3 and r.live_metric = wanted.metric
               and ($7::text is null or ${follows('r.created_at', 'r.id', '$7', '$8')})
             order by r.created_at desc, r.id limit $5::bigint + $6::bigint) r
      order by created_at desc, id limit $5 offset $6`,
    [teamId, projectId, generation, textArray(metrics), ...pageValues(page)],
  );
}

const CONTRIBUTING = `
  from tracked_records r
 where r.team_id = $1 and r.project_id = $2 and r.generation = $3 and r.live_metric is not null
   and exists (select from json_array_elements(r.contributions) c where (c ->> 0) = any($4::text[]))`;

/** Lists a page of the live subscriptions that add to any of the metrics, newest first. Reads all live ones. */
export async function listContributing(
  em: EntityManager,
  { teamId, projectId, generation }: GenerationScope,
  metrics: readonly string[],
  page: Page,
): Promise<readonly SubscriptionRow[]> {
  return executeBound<SubscriptionRow>(
    em,
    `select ${shown('r.created_at')} ${CONTRIBUTING} ${pageOf('r.created_at', 5)}`,
    [teamId, projectId, generation, textArray(metrics), ...pageValues(page)],
  );
}

/** Counts the subscriptions that `listContributing` lists on all pages together. */
export async function countContributing(
  em: EntityManager,
  { teamId, projectId, generation }: GenerationScope,
  metrics: readonly string[],
): Promise<bigint> {
  const values = [teamId, projectId, generation, textArray(metrics)];
  const [row] = await executeBound<{ count: string }>(em, `select count(*) as count ${CONTRIBUTING}`, values);
  return BigInt(row?.count ?? 0);
}

/** Whether an ended subscription was active or trialing at a time: it had started once more often than ended. */
const WAS_LIVE = `
  0 < (select coalesce(sum((case when (c ->> 0) = '${LIFETIME_METRIC.started.exact}' then 1 else -1 end) * (c ->> 2)::int), 0)
         from json_array_elements(r.contributions) c
        where (c ->> 0) in ('${LIFETIME_METRIC.started.exact}', '${LIFETIME_METRIC.ended.exact}')
          and (c ->> 1) collate "C" <= $5::text)`;

const ENDED_FROM = `
  from tracked_records r where r.team_id = $1 and r.project_id = $2 and r.generation = $3`;

const CANCELED = `${ENDED_FROM}
        and r.canceled_at < $4::timestamptz and r.canceled_at >= $5::timestamptz`;

/** Lists a page of the subscriptions that were active at the window's start and ended inside it, the last end first. */
export async function listLost(
  em: EntityManager,
  { teamId, projectId, generation }: GenerationScope,
  { start, now }: Window,
  page: Page,
): Promise<readonly SubscriptionRow[]> {
  return executeBound<SubscriptionRow>(
    em,
    `select ${shown('r.ended_at')} ${ENDED_FROM}
        and r.ended_at < $4::timestamptz and r.ended_at > $5::text::timestamptz and ${WAS_LIVE} ${pageOf('r.ended_at', 6)}`,
    [teamId, projectId, generation, now.toISOString(), start.toISOString(), ...pageValues(page)],
  );
}

/** A subscription whose trial is over. */
export interface TrialRow extends SubscriptionRow {
  readonly converted: boolean;
}

/** Lists a page of the subscriptions whose trial ended inside the window, the last end first. */
export async function listTrials(
  em: EntityManager,
  { teamId, projectId, generation }: GenerationScope,
  { start, now }: Window,
  page: Page,
): Promise<readonly TrialRow[]> {
  return executeBound<TrialRow>(
    em,
    `select ${shown('r.trial_ended_at')}, trial_converted as converted ${ENDED_FROM}
        and r.trial_ended_at < $4::timestamptz and r.trial_ended_at > $5::timestamptz ${pageOf('r.trial_ended_at', 6)}`,
    [teamId, projectId, generation, now.toISOString(), start.toISOString(), ...pageValues(page)],
  );
}

/** A subscription whose end was requested. */
interface CanceledRow extends SubscriptionRow {
  /** In JSON, as `countedSubscription` has it. */
  readonly cancellation: Cancellation | null;
}

/** Lists a page of the subscriptions whose end was requested inside the window, for one reason or any, the last one first. */
export async function listCanceled(
  em: EntityManager,
  { teamId, projectId, generation }: GenerationScope,
  { start, now }: Window,
  page: Page & { readonly reason?: ListedReason | undefined },
): Promise<readonly CanceledRow[]> {
  return executeBound<CanceledRow>(
    em,
    `select ${shown('r.canceled_at')}, r.subscription -> 'cancellation' as cancellation ${CANCELED}
        and ($6::text is null or coalesce(r.cancel_reason, 'none') = $6) ${pageOf('r.canceled_at', 7)}`,
    [teamId, projectId, generation, now.toISOString(), start.toISOString(), page.reason ?? null, ...pageValues(page)],
  );
}

/** Counts the subscriptions whose end was requested inside the window by the reason, the most frequent first. */
export async function countCanceled(
  em: EntityManager,
  { teamId, projectId, generation }: GenerationScope,
  { start, now }: Window,
): Promise<readonly CancellationCount[]> {
  return executeBound<CancellationCount>(
    em,
    `select r.cancel_reason as reason, count(*)::int as count ${CANCELED}
      group by r.cancel_reason order by count desc, r.cancel_reason nulls last`,
    [teamId, projectId, generation, now.toISOString(), start.toISOString()],
  );
}

/** Counts the trials whose end is recorded, but not before now. */
export async function countTrialsEndingLater(
  em: EntityManager,
  { teamId, projectId, generation }: GenerationScope,
  { now }: Window,
): Promise<TrialCounts> {
  const [row] = await executeBound<{ ended: string; converted: string }>(
    em,
    `select count(*) as ended, count(*) filter (where trial_converted) as converted ${ENDED_FROM}
        and r.trial_ended_at >= $4::timestamptz`,
    [teamId, projectId, generation, now.toISOString()],
  );
  return { ended: BigInt(row?.ended ?? 0), converted: BigInt(row?.converted ?? 0) };
}

/** Counts the subscriptions that were active at the window's start and whose end is recorded, but not before now. */
export async function countEndingLater(
  em: EntityManager,
  { teamId, projectId, generation }: GenerationScope,
  { start, now }: Window,
): Promise<bigint> {
  const [row] = await executeBound<{ count: string }>(
    em,
    `select count(*) as count ${ENDED_FROM} and r.ended_at >= $4::timestamptz and ${WAS_LIVE}`,
    [teamId, projectId, generation, now.toISOString(), start.toISOString()],
  );
  return BigInt(row?.count ?? 0);
}
