import type { EntityManager } from '@mikro-orm/postgresql';
import type { ProjectId, ProjectScope, TeamId } from '@billing/contracts/ids';
import { executeBound } from '@billing/database/bound-statement';
import { countedSubscription } from '#domain/counted-subscription.ts';
import { listedSubscription } from '#domain/listed-subscription.ts';
import type { Point } from '#domain/lived-state.ts';
import type { RecordKind } from '#domain/record-state.ts';
import type { CountedState } from '#domain/tracked-record.ts';
import { hasConverted, trialEndIn } from '#domain/trials.ts';
import { z } from 'zod';
import { groupByKey, numberColumn, textColumn, timeColumn } from './columns.ts';

/** Primary key of a tracked record's row. */
export interface RecordKey {
  readonly teamId: TeamId;
  readonly projectId: ProjectId;
  readonly generation: number;
  readonly kind: RecordKind;
  readonly id: string;
}

export interface RecordRow {
  readonly key: RecordKey;
  readonly state: CountedState;
}

interface StateRow {
  readonly key: number;
  readonly version: number;
  /** Amounts are text, as they can exceed the numbers of JSON. */
  readonly contributions: readonly (readonly [metric: string, bucket: string, amount: string])[];
  readonly subscription: unknown;
  readonly recent: readonly Point[] | null;
}

/** Reads the states of the keys that have a row. */
export async function readTrackedRecords(
  tx: EntityManager,
  keys: readonly RecordKey[],
): Promise<ReadonlyMap<RecordKey, CountedState>> {
  if (keys.length === 0) return new Map();
  // A lateral subquery with a limit is looked up by index, key by key, whatever PostgreSQL's statistics say.
  const rows = await executeBound<StateRow>(
    tx,
    `select key::int, r.version, r.contributions, r.subscription, r.recent
       from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::int[])
            with ordinality as k (team_id, kind, id, project_id, generation, key)
      cross join lateral (
            select * from tracked_records r
             where r.team_id = k.team_id and r.kind = k.kind and r.id = k.id
               and r.project_id = k.project_id and r.generation = k.generation limit 1) r`,
    keyColumns(keys),
  );
  const states = new Map<RecordKey, CountedState>();
  for (const [key, ofKey] of groupByKey(keys, rows)) for (const row of ofKey) states.set(key, toState(row));
  return states;
}

/** Inserts rows in the caller's transaction, which must have locked their projects and not found them. */
export async function insertTrackedRecords(tx: EntityManager, records: readonly RecordRow[]): Promise<void> {
  if (records.length === 0) return;
  await executeBound(
    tx,
    `insert into tracked_records
            (team_id, kind, id, project_id, generation, version, contributions, subscription, customer_id, status, currency,
             amount, live_metric, created_at, ended_at, trial_ended_at, trial_converted, canceled_at, cancel_reason, recent)
     select team_id, kind, id, project_id, generation, version, contributions::json, subscription, customer_id, status,
            currency, amount, live_metric, to_timestamp(created_ms / 1000), to_timestamp(ended_ms / 1000),
            to_timestamp(trial_ended_ms / 1000), trial_converted, to_timestamp(canceled_ms / 1000), cancel_reason, recent
       from ${ROWS}`,
    rowColumns(records),
  );
}

/** Updates rows in the caller's transaction, which must have locked their projects and read them. */
export async function updateTrackedRecords(tx: EntityManager, records: readonly RecordRow[]): Promise<void> {
  if (records.length === 0) return;
  await executeBound(
    tx,
    `update tracked_records r
        set version = it.version, contributions = it.contributions::json, subscription = it.subscription,
            customer_id = it.customer_id, status = it.status, currency = it.currency, amount = it.amount, live_metric = it.live_metric,
            created_at = to_timestamp(created_ms / 1000), ended_at = to_timestamp(ended_ms / 1000),
            trial_ended_at = to_timestamp(trial_ended_ms / 1000), trial_converted = it.trial_converted,
            canceled_at = to_timestamp(canceled_ms / 1000), cancel_reason = it.cancel_reason, recent = it.recent
       from ${ROWS}
      where r.team_id = it.team_id and r.kind = it.kind and r.id = it.id
        and r.project_id = it.project_id and r.generation = it.generation`,
    rowColumns(records),
  );
}

const ROWS = `(select team_id, kind, id, project_id, generation, version, contributions,
                    nullif(subscription, '')::json as subscription, nullif(customer_id, '') as customer_id, nullif(status, '') as status,
                    nullif(currency, '') as currency, nullif(amount, '') as amount,
                    nullif(live_metric, '') as live_metric, created_ms, ended_ms, trial_ended_ms,
                    case when trial_ended_ms is not null then trial_converted = 'yes' end as trial_converted,
                    canceled_ms, nullif(cancel_reason, '') as cancel_reason, nullif(recent, '')::json as recent
               from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::int[], $6::int[], $7::text[],
                           $8::text[], $9::text[], $10::text[], $11::text[], $12::text[], $13::float8[], $14::float8[],
                           $15::float8[], $16::text[], $17::text[], $18::float8[], $19::text[], $20::text[])
                    as it (team_id, kind, id, project_id, generation, version, contributions, customer_id, status,
                           currency, amount, live_metric, created_ms, ended_ms, trial_ended_ms, trial_converted,
                           subscription, canceled_ms, cancel_reason, recent)) it`;

function rowColumns(records: readonly RecordRow[]) {
  const rows = records.map(({ key, state }) => {
    return { key, state, listed: state.subscription && listedSubscription(state.subscription) };
  });
  return [
    ...keyColumns(records.map(({ key }) => key)),
    numberColumn(rows, it => it.state.version),
    textColumn(rows, it => JSON.stringify(toStoredContributions(it.state))),
    // An empty text is stored as null.
    textColumn(rows, it => it.listed?.customerId ?? ''),
    textColumn(rows, it => it.listed?.status ?? ''),
    textColumn(rows, it => it.listed?.currency ?? ''),
    textColumn(rows, it => it.listed?.amount ?? ''),
    textColumn(rows, it => it.listed?.liveMetric ?? ''),
    timeColumn(rows, it => it.listed?.createdAt),
    timeColumn(rows, it => it.listed?.endedAt),
    timeColumn(rows, it => trialEndIn(it.state.contributions)),
    textColumn(rows, it => (hasConverted(it.state.contributions) ? 'yes' : 'no')),
    textColumn(rows, ({ state: { subscription } }) =>
      subscription ? JSON.stringify(z.encode(countedSubscription, subscription)) : '',
    ),
    timeColumn(rows, it => it.listed?.canceledAt),
    textColumn(rows, it => it.listed?.cancelReason ?? ''),
    textColumn(rows, ({ state: { recent } }) => (recent ? JSON.stringify(recent) : '')),
  ];
}

const keyColumns = (keys: readonly RecordKey[]) => [
  textColumn(keys, it => it.teamId),
  textColumn(keys, it => it.kind),
  textColumn(keys, it => it.id),
  textColumn(keys, it => it.projectId),
  numberColumn(keys, it => it.generation),
];

const toStoredContributions = ({ contributions }: CountedState): StateRow['contributions'] =>
  contributions.map(({ metric, bucket, amount }) => [metric, bucket, `${amount}`]);

const toState = ({ version, contributions, subscription, recent }: StateRow): CountedState => ({
  version,
  contributions: contributions.map(([metric, bucket, amount]) => ({ metric, bucket, amount: BigInt(amount) })),
  subscription: subscription === null ? null : countedSubscription.parse(subscription),
  recent,
});

/** The number of tracked records in the current generation of a project. */
export async function countTrackedRecords(em: EntityManager, { teamId, projectId }: ProjectScope): Promise<number> {
  const [row] = await em.fork().execute<{ count: number }[]>(
    `select count(*)::int as count from tracked_records join projects p using (team_id, project_id, generation)
      where p.team_id = ? and p.project_id = ?`,
    [teamId, projectId],
  );
  return row?.count ?? 0;
}
