import type { EntityManager } from '@mikro-orm/postgresql';
import { executeBound, textArray } from '@billing/database/bound-statement';
import {
  ENDING_DISCOUNT,
  LIFETIME_METRIC,
  METRIC,
  MOVEMENT_PREFIX,
  parseMovementMetric,
  TRIAL_METRIC,
  type Contribution,
  type TimedMetric,
  type MetricKey,
} from '#domain/metrics.ts';
import type { ChurnCounts } from '#domain/churn.ts';
import type { TrialCounts } from '#domain/trials.ts';
import { addDays, dayOf, endOfHour, hourOf, type UtcDay } from '#domain/utc-day.ts';
import type { Window } from '#domain/window.ts';
import type { GenerationScope } from './projects.ts';

/** An amount to add to a metric of a project. */
export type MetricChange = Contribution & GenerationScope;

/**
 * Adds to metrics in the caller's transaction, which must have locked their projects. Writes each metric once, however
 * many changes it has.
 */
export async function addToMetrics(tx: EntityManager, changes: readonly MetricChange[]): Promise<void> {
  const sums = new Map<string, MetricChange>();
  for (const change of changes) {
    const { projectId, generation, metric, bucket } = change;
    const key = `${projectId} ${generation} ${metric} ${bucket}`;
    sums.set(key, { ...change, amount: (sums.get(key)?.amount ?? 0n) + change.amount });
  }
  const rows = [...sums.values()].filter(({ amount }) => amount !== 0n).map(it => ({ ...it, amount: `${it.amount}` }));
  if (rows.length === 0) return;
  await executeBound(
    tx,
    `insert into metrics (team_id, project_id, generation, metric, bucket, amount)
     select "teamId", "projectId", generation, metric, bucket, amount
       from jsonb_to_recordset($1::jsonb) as
            it ("teamId" text, "projectId" text, generation int, metric text, bucket text, amount numeric)
      order by "teamId", "projectId", generation, metric, bucket
     on conflict (team_id, project_id, generation, metric, bucket) do update
        set amount = metrics.amount + excluded.amount`,
    [JSON.stringify(rows)],
  );
}

type Row = MetricKey & { readonly amount: string };

const IN_SCOPE = 'team_id = $1 and project_id = $2 and generation = $3';
const TIMED: readonly TimedMetric[] = [...Object.values(LIFETIME_METRIC), ...Object.values(TRIAL_METRIC)];
const DAILY = TIMED.map(({ daily }) => daily);
const HOURLY = TIMED.map(({ hourly }) => hourly);
const EXACT = TIMED.map(({ exact }) => exact);

/**
 * Reads a project's metrics over all time, net new customers of the days after the window's first, lifetimes and trials
 * after the window's start, and what discounts take off today. The number of rows depends on the window's length, not on the
 * project's size, except in the window's first hour.
 */
export async function readMetrics(
  em: EntityManager,
  { teamId, projectId, generation }: GenerationScope,
  window: Window,
  today: UtcDay = dayOf(window.now),
) {
  const firstDay = dayOf(window.start);
  const rows = await executeBound<Row>(
    em,
    `select metric, bucket, amount::text as amount from metrics where ${IN_SCOPE} and bucket = ''
     union all
     select metric, bucket, amount::text from metrics where ${IN_SCOPE} and metric = $4 and bucket > $5
     union all
     select metric, '', sum(amount)::text from metrics
      where ${IN_SCOPE} and metric = any($6::text[]) and bucket > $5 group by metric
     union all
     select metric, '', sum(amount)::text from metrics
      where ${IN_SCOPE} and metric = any($7::text[]) and bucket > $8 and bucket < $9 group by metric
     union all
     select metric, '', sum(amount)::text from metrics
      where ${IN_SCOPE} and metric = any($10::text[]) and bucket > $11 and bucket < $12 group by metric
     union all
     select metric, '', sum(amount)::text from metrics
      where ${IN_SCOPE} and metric like '${ENDING_DISCOUNT}:%' and bucket > $13 group by metric`,
    [
      teamId,
      projectId,
      generation,
      METRIC.netNewCustomers,
      firstDay,
      textArray(DAILY),
      textArray(HOURLY),
      hourOf(window.start),
      addDays(firstDay, 1),
      textArray(EXACT),
      window.start.toISOString(),
      endOfHour(hourOf(window.start)).toISOString(),
      today,
    ],
  );
  const totals = new Map(rows.filter(row => row.bucket === '').map(row => [row.metric, BigInt(row.amount)]));
  const total = (metric: string): bigint => totals.get(metric) ?? 0n;
  return {
    /** All metrics over all time. */
    totals,
    /** A metric over all time; 0 when nothing was ever added. */
    total,
    /** Net new customers by day; days without a change are missing. */
    netNewCustomers: new Map(rows.filter(row => row.bucket !== '').map(row => [row.bucket, BigInt(row.amount)])),
    /** Lifetimes and trials after the window's start. */
    after: ({ daily, hourly, exact }: TimedMetric) => total(daily) + total(hourly) + total(exact),
  };
}

export type Metrics = Awaited<ReturnType<typeof readMetrics>>;

/** Returns what churn is computed from; `endingLater` is counted apart. */
export const toChurnCounts = ({ total, after }: Metrics, endingLater: bigint): ChurnCounts => ({
  ongoing: total(METRIC.ongoing),
  startedAfter: after(LIFETIME_METRIC.started),
  lapsedAfter: after(LIFETIME_METRIC.lapsed),
  endedAfter: after(LIFETIME_METRIC.ended),
  startedAndEndedAfter: after(LIFETIME_METRIC.startedAndEnded),
  endingLater,
});

/** Returns the trials that ended after the window's start. */
export const toTrialCounts = ({ after }: Metrics): TrialCounts => ({
  ended: after(TRIAL_METRIC.ended),
  converted: after(TRIAL_METRIC.converted),
});

/** Reads a project's metrics over all time, and its net new customers and revenue movements since `day`. */
export async function readDailyMetrics(
  em: EntityManager,
  { teamId, projectId, generation }: GenerationScope,
  day: UtcDay,
) {
  const rows = await executeBound<Row>(
    em,
    `select metric, bucket, amount::text as amount from metrics where ${IN_SCOPE} and bucket = ''
     union all
     select metric, bucket, amount::text from metrics where ${IN_SCOPE} and metric = $4 and bucket >= $5
     union all
     select metric, bucket, amount::text from metrics
      where ${IN_SCOPE} and metric like '${MOVEMENT_PREFIX}%' and bucket >= $5`,
    [teamId, projectId, generation, METRIC.netNewCustomers, day],
  );
  return {
    totals: new Map(rows.filter(row => row.bucket === '').map(row => [row.metric, BigInt(row.amount)])),
    netNewCustomers: new Map(
      rows.filter(row => row.metric === METRIC.netNewCustomers).map(row => [row.bucket, BigInt(row.amount)]),
    ),
    movements: rows.flatMap(row => {
      const term = parseMovementMetric(row.metric, BigInt(row.amount));
      return term ? [{ ...term, day: row.bucket }] : [];
    }),
  };
}
