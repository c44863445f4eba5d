import type { UncountedRecord, WrongMetric } from '../checks/metrics.ts';
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

/** A customer that the processor does not have yet is published later. */
const KINDS = [
  { kind: 'customer', service: 'customers', table: 'customers' },
  { kind: 'subscription', service: 'subscriptions', table: 'subscriptions' },
] as const;
/** Records of one reading. */
const PAGE = 10_000;

interface OwnerRow {
  readonly id: string;
  readonly teamId: string;
  readonly projectId: string;
  readonly version: number;
}

/** Returns the records whose owner changed them a while ago, and whose version analytics has not counted. */
export async function readUncounted(
  analytics: ReadOnlyDatabase,
  owners: readonly ReadOnlyDatabase[],
  { waitingSeconds }: Limits,
): Promise<UncountedRecord[]> {
  const uncounted: UncountedRecord[] = [];
  for (const { kind, service, table } of KINDS) {
    const owner = owners.find(database => database.service === service);
    if (!owner) continue;
    for (let after: string | undefined = ''; after !== undefined;) {
      const rows: OwnerRow[] = await owner.query<OwnerRow>(
        `select id, team_id as "teamId", project_id as "projectId", version from ${table}
          where id > $1 and processor_customer_id is not null and updated_at < clock_timestamp() - make_interval(secs => $2) order by id limit ${PAGE}`,
        [after, waitingSeconds],
      );
      const counted = await readCountedVersions(analytics, kind, rows);
      for (const { id, projectId, version } of rows)
        if ((counted.get(id) ?? 0) < version) uncounted.push({ projectId, kind, id });
      after = rows.length === PAGE ? rows.at(-1)?.id : undefined;
    }
  }
  return uncounted;
}

async function readCountedVersions(
  { query }: ReadOnlyDatabase,
  kind: string,
  rows: readonly OwnerRow[],
): Promise<ReadonlyMap<string, number>> {
  const counted = await query<{ id: string; version: number }>(
    `select r.id, r.version
       from unnest($1::text[], $2::text[], $3::text[]) as k (team_id, id, project_id)
       join projects p using (team_id, project_id)
       join tracked_records r on (r.team_id, r.kind, r.id, r.project_id, r.generation) = (k.team_id, $4, k.id, k.project_id, p.generation)`,
    [rows.map(row => row.teamId), rows.map(row => row.id), rows.map(row => row.projectId), kind],
  );
  return new Map(counted.map(({ id, version }) => [id, version]));
}
