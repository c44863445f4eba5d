import type { EntityManager } from '@mikro-orm/postgresql';
import type { ProjectScope } from '@billing/contracts/ids';
import { executeBound } from '@billing/database/bound-statement';
import type { RevenuePeriod } from '#domain/revenue-periods.ts';
import { milliseconds, numberColumn, textColumn, timeColumn, timeFrom } from './columns.ts';

/** A subscription of a project. */
export interface SubscriptionKey extends ProjectScope {
  readonly id: string;
}

interface Row {
  /** The number of the subscription among the keys, from 1 on. */
  readonly key: number;
  readonly first_version: number;
  readonly last_version: number;
  readonly recorded_ms: number;
  readonly started_ms: number;
  readonly ended_ms: number | null;
  /** Numerators are text, as they can exceed the numbers of JSON. */
  readonly revenue: readonly (readonly [currency: string, intervalCount: number, numerator: string])[];
}

/** Identifies a subscription. The team is left out, as no two teams share a project id. */
export const subscriptionKey = ({ projectId, id }: { readonly projectId: string; readonly id: string }): string =>
  `${projectId} ${id}`;

/** Reads the revenue periods of subscriptions in order, by `subscriptionKey`; only the last one of each if asked. */
export async function readRevenuePeriods(
  tx: EntityManager,
  keys: readonly SubscriptionKey[],
  { onlyLast = false } = {},
): Promise<Map<string, readonly RevenuePeriod[]>> {
  if (keys.length === 0) return new Map();
  const rows = await executeBound<Row>(
    tx,
    `select key::int, first_version, last_version, revenue, ${milliseconds('recorded_at')} as recorded_ms,
            ${milliseconds('started_at')} as started_ms, ${milliseconds('ended_at')} as ended_ms
       from unnest($1::text[], $2::text[], $3::text[]) with ordinality as k (team_id, project_id, id, key)
      cross join lateral (
            select * from revenue_periods r
             where r.team_id = k.team_id and r.project_id = k.project_id and r.subscription_id = k.id
             order by first_version desc limit ${onlyLast ? '1' : 'all'}) r
      order by key, first_version`,
    [textColumn(keys, it => it.teamId), textColumn(keys, it => it.projectId), textColumn(keys, it => it.id)],
  );
  const periods = new Map<string, RevenuePeriod[]>();
  for (const row of rows) {
    const key = keys[row.key - 1];
    if (!key) throw new Error('PostgreSQL returned a key that was not given.');
    const name = subscriptionKey(key);
    const others = periods.get(name);
    if (others) others.push(toPeriod(row));
    else periods.set(name, [toPeriod(row)]);
  }
  return periods;
}

/** The revenue periods of a subscription as they were read, and as they are to be. */
export interface PeriodsChange extends SubscriptionKey {
  readonly stored: readonly RevenuePeriod[];
  readonly periods: readonly RevenuePeriod[];
}

/** Writes the differences in the caller's transaction, which must have locked the projects of the subscriptions. */
export async function saveRevenuePeriods(tx: EntityManager, changes: readonly PeriodsChange[]): Promise<void> {
  const changed = changes.flatMap(({ stored, periods, ...key }) =>
    periods.filter(period => !stored.includes(period)).map(period => ({ ...key, ...period })),
  );
  const merged = changes.flatMap(({ stored, periods, ...key }) =>
    stored
      .filter(({ firstVersion }) => !periods.some(period => period.firstVersion === firstVersion))
      .map(({ firstVersion }) => ({ ...key, firstVersion })),
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
                                    recorded_at, started_at, ended_at, revenue)
       select team_id, project_id, id, first_version, last_version, to_timestamp(recorded_ms / 1000),
              to_timestamp(started_ms / 1000), to_timestamp(ended_ms / 1000), revenue::json
         from unnest($1::text[], $2::text[], $3::text[], $4::int[], $5::int[], $6::float8[], $7::float8[], $8::float8[],
                     $9::text[])
              as it (team_id, project_id, id, first_version, last_version, recorded_ms, started_ms, ended_ms, revenue)
       on conflict (team_id, project_id, subscription_id, first_version) do update
          set last_version = excluded.last_version, recorded_at = excluded.recorded_at,
              started_at = excluded.started_at, ended_at = excluded.ended_at, revenue = excluded.revenue`,
      [
        ...keyColumns(changed),
        numberColumn(changed, it => it.lastVersion),
        timeColumn(changed, it => it.recordedAt),
        timeColumn(changed, it => it.startedAt),
        timeColumn(changed, it => it.endedAt),
        textColumn(changed, it => JSON.stringify(toStoredRevenue(it))),
      ],
    );
}

const keyColumns = (rows: readonly (SubscriptionKey & { readonly firstVersion: number })[]) => [
  textColumn(rows, it => it.teamId),
  textColumn(rows, it => it.projectId),
  textColumn(rows, it => it.id),
  numberColumn(rows, it => it.firstVersion),
];

const toStoredRevenue = ({ revenue }: RevenuePeriod): Row['revenue'] =>
  revenue.map(({ currency, intervalCount, numerator }) => [currency, intervalCount, `${numerator}`]);

const toPeriod = (row: Row): RevenuePeriod => ({
  firstVersion: row.first_version,
  lastVersion: row.last_version,
  recordedAt: timeFrom(row.recorded_ms),
  startedAt: timeFrom(row.started_ms),
  endedAt: row.ended_ms === null ? null : timeFrom(row.ended_ms),
  revenue: row.revenue.map(([currency, intervalCount, numerator]) => ({
    currency,
    intervalCount,
    numerator: BigInt(numerator),
  })),
});
