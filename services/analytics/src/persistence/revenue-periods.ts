import type { EntityManager } from '@mikro-orm/postgresql';
import { executeBound } from '@billing/database/bound-statement';
import type { Phase } from '#domain/contributions.ts';
import type { RevenuePeriod } from '#domain/revenue-periods.ts';
import type { TrialEvidence } from '#domain/trials.ts';
import { groupByKey, milliseconds, numberColumn, textColumn, timeColumn, timeFrom } from './columns.ts';
import type { RecordKey } from './tracked-records.ts';

/** Identifies a subscription. */
export type SubscriptionKey = Pick<RecordKey, 'teamId' | 'projectId' | 'id'>;

interface Row {
  readonly key: number;
  readonly first_version: number;
  readonly last_version: number;
  readonly recorded_ms: number;
  readonly started_ms: number;
  readonly ended_ms: number | null;
  readonly phase: Phase;
  readonly trial: Exclude<TrialEvidence, 'none'> | null;
  readonly revenue: StoredRevenue;
  readonly former_revenue: StoredRevenue | null;
}

/** Numerators are text, as they can exceed the numbers of JSON. */
type StoredRevenue = readonly (readonly [currency: string, divisor: number, numerator: string])[];

/** Reads the revenue periods of the subscriptions that have any; only the last one of each if asked. */
export async function readRevenuePeriods<Key extends SubscriptionKey>(
  tx: EntityManager,
  keys: readonly Key[],
  { onlyLast = false } = {},
): Promise<ReadonlyMap<Key, readonly RevenuePeriod[]>> {
  if (keys.length === 0) return new Map();
  const rows = await executeBound<Row>(
    tx,
    `select key::int, first_version, last_version, phase, trial, revenue, former_revenue,
            ${milliseconds('recorded_at')} as recorded_ms, ${milliseconds('started_at')} as started_ms, ${milliseconds('ended_at')} as ended_ms
       from unnest($1::text[], $2::text[], $3::text[]) with ordinality as k (team_id, project_id, id, key)
      cross join lateral (
            select * from revenue_periods r
             where r.team_id = k.team_id and r.project_id = k.project_id and r.subscription_id = k.id
             order by first_version desc limit ${onlyLast ? '1' : 'all'}) r`,
    [textColumn(keys, it => it.teamId), textColumn(keys, it => it.projectId), textColumn(keys, it => it.id)],
  );
  const periods = new Map<Key, RevenuePeriod[]>();
  for (const [key, ofKey] of groupByKey(keys, rows)) periods.set(key, ofKey.map(toPeriod));
  return periods;
}

/** The revenue periods of a subscription as they were read, and as they are to be. */
export interface PeriodsChange {
  readonly key: SubscriptionKey;
  readonly stored: readonly RevenuePeriod[];
  readonly periods: readonly RevenuePeriod[];
}

/** Writes the differences in the caller's transaction, which must have locked the projects of the subscriptions. */
export async function saveRevenuePeriods(tx: EntityManager, changes: readonly PeriodsChange[]): Promise<void> {
  const changed = changes.flatMap(({ key, stored, periods }) =>
    periods.filter(period => !stored.includes(period)).map(period => ({ key, period })),
  );
  const merged = changes.flatMap(({ key, stored, periods }) =>
    stored
      .filter(period => !periods.some(({ firstVersion }) => firstVersion === period.firstVersion))
      .map(period => ({ key, period })),
  );
  if (merged.length > 0)
    await executeBound(
      tx,
      `delete from revenue_periods r using unnest($1::text[], $2::text[], $3::text[], $4::int[]) as it (team_id, project_id, id, first_version)
        where r.team_id = it.team_id and r.project_id = it.project_id and r.subscription_id = it.id
          and r.first_version = it.first_version`,
      keyColumns(merged),
    );
  if (changed.length > 0)
    await executeBound(
      tx,
      `insert into revenue_periods (team_id, project_id, subscription_id, first_version, last_version,
                                    recorded_at, started_at, ended_at, phase, trial, revenue, former_revenue)
       select team_id, project_id, id, first_version, last_version, to_timestamp(recorded_ms / 1000),
              to_timestamp(started_ms / 1000), to_timestamp(ended_ms / 1000), phase, nullif(trial, 'none'), revenue::json,
              nullif(former_revenue, '')::json
         from unnest($1::text[], $2::text[], $3::text[], $4::int[], $5::int[], $6::float8[], $7::float8[], $8::float8[],
                     $9::text[], $10::text[], $11::text[], $12::text[])
              as it (team_id, project_id, id, first_version, last_version, recorded_ms, started_ms, ended_ms, phase,
                     trial, revenue, former_revenue)
       on conflict (team_id, project_id, subscription_id, first_version) do update
          set last_version = excluded.last_version, recorded_at = excluded.recorded_at,
              started_at = excluded.started_at, ended_at = excluded.ended_at, phase = excluded.phase, trial = excluded.trial,
              revenue = excluded.revenue, former_revenue = excluded.former_revenue`,
      [
        ...keyColumns(changed),
        numberColumn(changed, ({ period }) => period.lastVersion),
        timeColumn(changed, ({ period }) => period.recordedAt),
        timeColumn(changed, ({ period }) => period.startedAt),
        timeColumn(changed, ({ period }) => period.endedAt),
        textColumn(changed, ({ period }) => period.phase),
        textColumn(changed, ({ period }) => period.trial),
        textColumn(changed, ({ period }) => JSON.stringify(toStored(period.revenue))),
        textColumn(changed, ({ period: { formerRevenue } }) =>
          formerRevenue ? JSON.stringify(toStored(formerRevenue)) : '',
        ),
      ],
    );
}

const keyColumns = (rows: readonly { readonly key: SubscriptionKey; readonly period: RevenuePeriod }[]) => [
  textColumn(rows, ({ key }) => key.teamId),
  textColumn(rows, ({ key }) => key.projectId),
  textColumn(rows, ({ key }) => key.id),
  numberColumn(rows, ({ period }) => period.firstVersion),
];

const toStored = (revenue: RevenuePeriod['revenue']): StoredRevenue =>
  revenue.map(({ currency, divisor, numerator }) => [currency, divisor, `${numerator}`]);

const toRevenue = (stored: StoredRevenue): RevenuePeriod['revenue'] =>
  stored.map(([currency, divisor, numerator]) => ({ currency, divisor, numerator: BigInt(numerator) }));

const toPeriod = (row: Row): RevenuePeriod => ({
  firstVersion: row.first_version,
  lastVersion: row.last_version,
  recordedAt: timeFrom(row.recorded_ms),
  startedAt: timeFrom(row.started_ms),
  endedAt: row.ended_ms === null ? null : timeFrom(row.ended_ms),
  phase: row.phase,
  trial: row.trial ?? 'none',
  revenue: toRevenue(row.revenue),
  formerRevenue: row.former_revenue && toRevenue(row.former_revenue),
});
