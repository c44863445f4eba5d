import type { ShownBy, ShownState } from '@billing/contracts/events/subscriptions';
import type { ServiceName } from '@billing/contracts/operation';
import {
  customerContributions,
  subscriptionContributions,
} from '../../../../services/analytics/src/domain/contributions.ts';
import { writeState } from '../../../../services/analytics/src/domain/lived-state.ts';
import type { Contribution } from '../../../../services/analytics/src/domain/metrics.ts';
import {
  discountsOf,
  observedAtOf,
  pauseOf,
  type Subscription,
} from '../../../../services/subscriptions/src/record/subscription.entity.ts';
import { compareRecord, type CountedRecord, type MiscountedRecord, type WrongMetric } from '../checks/metrics.ts';
import type { Limits } from '../finding.ts';
import type { ReadOnlyDatabase } from './database.ts';

/**
 * Recomputes every metric of the current generations from the contributions of the records, and returns those that differ. One
 * statement sees one state, so events that are counted meanwhile make no difference.
 */
export const readWrongMetrics = ({ query }: ReadOnlyDatabase): Promise<WrongMetric[]> =>
  query<WrongMetric>(
    `with recomputed as (
       select team_id, project_id, c ->> 0 as metric, c ->> 1 as bucket, sum((c ->> 2)::numeric) as amount
         from tracked_records join projects using (team_id, project_id, generation)
        cross join lateral json_array_elements(contributions) c
        group by 1, 2, 3, 4),
     stored as (
       select team_id, project_id, metric, bucket, amount from metrics join projects using (team_id, project_id, generation))
     select project_id as "projectId", metric, bucket,
            coalesce(stored.amount, 0)::text as stored, coalesce(recomputed.amount, 0)::text as recomputed
       from recomputed full join stored using (team_id, project_id, metric, bucket)
      where coalesce(stored.amount, 0) <> coalesce(recomputed.amount, 0)
      order by project_id, metric, bucket limit 1000`,
  );

/** Records of one reading. */
const PAGE = 5_000;

interface OwnerRow {
  readonly id: string;
  readonly teamId: string;
  readonly projectId: string;
  readonly version: number;
}

/** One kind of record that metrics count: who owns it, and what its state contributes. */
interface Kind<Row extends OwnerRow> {
  readonly name: string;
  readonly service: ServiceName;
  readonly table: string;
  /** A condition on its rows. */
  readonly isPublished: string;
  readonly columns: string;
  readonly contributionsOf: (row: Row) => readonly Contribution[];
}

const CUSTOMERS: Kind<
  OwnerRow & { readonly createdAt: Date; readonly deletedAt: Date | null; readonly testClock: object | null }
> = {
  name: 'customer',
  service: 'customers',
  table: 'customers',
  // A customer that the processor does not have yet is published later.
  isPublished: 'processor_id is not null',
  columns: `created_at as "createdAt", deleted_at as "deletedAt",
            case when test_clock_id is not null then json_build_object('id', test_clock_id) end as "testClock"`,
  contributionsOf: customerContributions,
};

const SUBSCRIPTIONS: Kind<
  OwnerRow &
    Pick<
      Subscription,
      | 'status'
      | 'items'
      | 'discounts'
      | 'pauseBehavior'
      | 'pauseResumesAt'
      | 'trialEnd'
      | 'startedAt'
      | 'endedAt'
      | 'currentPeriodEnd'
      | 'eventAt'
      | 'readAt'
      | 'testClockId'
    > & { readonly shown: readonly (readonly [at: number, by: ShownBy, state: Omit<ShownState, 'at' | 'by'>])[] }
> = {
  name: 'subscription',
  service: 'subscriptions',
  table: 'subscriptions',
  isPublished: 'true',
  columns: `status, items, discounts, pause_behavior as "pauseBehavior", pause_resumes_at as "pauseResumesAt",
            trial_end as "trialEnd", started_at as "startedAt", ended_at as "endedAt",
            current_period_end as "currentPeriodEnd", event_at as "eventAt", read_at as "readAt", test_clock_id as "testClockId",
            (select coalesce(json_agg(json_build_array(round(date_part('epoch', shown_at) * 1000), shown_by, state)), '[]')
               from shown_states shown
              where shown.team_id = subscriptions.team_id and shown.project_id = subscriptions.project_id
                and shown.subscription_id = subscriptions.id) as shown`,
  contributionsOf: row => {
    const points = row.shown.map(([at, by, { status, hasTrial, items }]) => {
      return { at, by, state: writeState(status, hasTrial, items) };
    });
    const read = { discounts: discountsOf(row), pauseCollection: pauseOf(row), observedAt: observedAtOf(row) };
    return subscriptionContributions({ ...row, ...read, points });
  },
};

/**
 * Recomputes what customers and subscriptions contribute from their owners' rows, and returns those that analytics counts
 * otherwise. What changed a moment ago is left out: its event is on its way.
 */
export async function readMiscounted(
  analytics: ReadOnlyDatabase,
  owners: readonly ReadOnlyDatabase[],
  limits: Limits,
): Promise<MiscountedRecord[]> {
  return [
    ...(await readKind(CUSTOMERS, analytics, owners, limits)),
    ...(await readKind(SUBSCRIPTIONS, analytics, owners, limits)),
  ];
}

async function readKind<Row extends OwnerRow>(
  { name, service, table, isPublished, columns, contributionsOf }: Kind<Row>,
  analytics: ReadOnlyDatabase,
  owners: readonly ReadOnlyDatabase[],
  { waitingSeconds }: Limits,
): Promise<MiscountedRecord[]> {
  const owner = owners.find(database => database.service === service);
  if (!owner) return [];
  const miscounted: MiscountedRecord[] = [];
  for (let after: string | undefined = ''; after !== undefined;) {
    const rows: Row[] = await owner.query<Row>(
      `select id, team_id as "teamId", project_id as "projectId", version, ${columns} from ${table}
        where id > $1 and ${isPublished}
          and updated_at < clock_timestamp() - make_interval(secs => $2) order by id limit ${PAGE}`,
      [after, waitingSeconds],
    );
    const counted = await readCounted(analytics, name, rows);
    for (const row of rows) {
      const { id, projectId, version } = row;
      miscounted.push(
        ...compareRecord({ id, projectId, version, contributions: contributionsOf(row) }, counted.get(id)),
      );
    }
    after = rows.length === PAGE ? rows.at(-1)?.id : undefined;
  }
  return miscounted;
}

interface CountedRow {
  readonly id: string;
  readonly version: number;
  /** Amounts are text, as they can exceed the numbers of JSON. */
  readonly contributions: readonly (readonly [metric: string, bucket: string, amount: string])[];
}

async function readCounted(
  { query }: ReadOnlyDatabase,
  kind: string,
  rows: readonly OwnerRow[],
): Promise<ReadonlyMap<string, CountedRecord>> {
  const counted = await query<CountedRow>(
    `select r.id, r.version, r.contributions
       from unnest($1::text[], $2::text[], $3::text[]) as k (team_id, id, project_id)
       join projects p using (team_id, project_id)
       join tracked_records r
         on (r.team_id, r.kind, r.id, r.project_id, r.generation) = (k.team_id, $4, k.id, k.project_id, p.generation)`,
    [rows.map(row => row.teamId), rows.map(row => row.id), rows.map(row => row.projectId), kind],
  );
  return new Map(
    counted.map(({ id, version, contributions }) => [
      id,
      {
        version,
        contributions: contributions.map(([metric, bucket, amount]) => ({ metric, bucket, amount: BigInt(amount) })),
      },
    ]),
  );
}
