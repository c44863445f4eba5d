import type { ProjectScope } from '@billing/contracts/ids';
import { openDatabase } from '@billing/database/database';
import { connectTo } from '../database.ts';
import type { RecordState } from '../../services/analytics/src/domain/record-state.ts';
import { countRecords } from '../../services/analytics/src/operations/count-records.ts';
import { analyticsSchema } from '../../services/analytics/src/persistence/schema.ts';

/** States per transaction. */
const BATCH = 2_000;

/** Opens the read model of the measured system with the database role of analytics. */
export async function openReadModel(databaseUrl: string) {
  await using resources = new AsyncDisposableStack();
  const { em } = resources.adopt(openDatabase({ service: 'analytics', url: databaseUrl, ...analyticsSchema }), it =>
    it.close(),
  );
  const client = resources.use(await connectTo(databaseUrl));
  const opened = resources.move();

  /** Returns a hash of all rows of a project, without its ids. */
  const fingerprint = async ({ projectId }: ProjectScope): Promise<string> => {
    const { rows } = await client.query<{ rows: string }>(
      `select concat_ws(' ',
         (select md5(string_agg(concat_ws(' ', kind, id, version, contributions, live_metric, amount, ended_at), ',' order by kind, id))
            from tracked_records where project_id = $1),
         (select md5(string_agg(concat_ws(' ', metric, bucket, amount), ',' order by metric, bucket))
            from metrics where project_id = $1 and amount <> 0)) as rows`,
      [projectId],
    );
    return rows[0]?.rows ?? '';
  };

  return {
    /** Applies states as the event handlers do. */
    async apply(states: Iterable<RecordState>): Promise<void> {
      for (const batch of inBatches(states)) await em.fork().transactional(tx => countRecords(tx, batch));
    },

    /**
     * Copies the rows of a project to another one `copies` times, each copy under new ids. This is exact: a metric is a
     * sum over records, and the row of a record depends only on its own states.
     */
    async copy(from: ProjectScope, to: ProjectScope, copies: number): Promise<void> {
      const values = [from.projectId, to.teamId, to.projectId, copies];
      await client.query(
        `insert into tracked_records
           (team_id, project_id, generation, kind, id, version, contributions, subscription, recent, customer_id, status, currency,
            amount, live_metric, created_at, ended_at, trial_ended_at, trial_converted)
         select $2, $3, 1, kind, id || 'x' || copy, version, contributions, subscription, recent, customer_id, status,
                currency, amount, live_metric, created_at, ended_at, trial_ended_at, trial_converted
           from tracked_records, generate_series(1, $4::int) copy where project_id = $1`,
        values,
      );
      await client.query(
        `insert into subscription_movements (team_id, project_id, generation, metric, day, subscription_id, amount)
         select $2, $3, 1, metric, day, subscription_id || 'x' || copy, amount
           from subscription_movements, generate_series(1, $4::int) copy where project_id = $1`,
        values,
      );
      await client.query(
        `insert into subscription_points
           (team_id, project_id, generation, subscription_id, shown_at, shown_by, digest, state)
         select $2, $3, 1, subscription_id || 'x' || copy, shown_at, shown_by, digest, state
           from subscription_points, generate_series(1, $4::int) copy where project_id = $1`,
        values,
      );
      await client.query(
        `insert into metrics (team_id, project_id, generation, metric, bucket, amount)
         select $2, $3, 1, metric, bucket, amount * $4::int from metrics where project_id = $1`,
        values,
      );
    },

    fingerprint,

    /** Vacuums and analyzes the tables, as autovacuum does some minutes after a bulk load. */
    async vacuum(): Promise<void> {
      await client.query(
        'vacuum (analyze) tracked_records, metrics, subscription_movements, subscription_points, projects',
      );
    },

    /** Counts the rows of a project. */
    async countRows({ projectId }: ProjectScope) {
      const { rows } = await client.query<{ customers: string; subscriptions: string; metrics: string }>(
        `select (select count(*) from tracked_records where project_id = $1 and kind = 'customer') as customers,
                (select count(*) from tracked_records where project_id = $1 and kind = 'subscription') as subscriptions,
                (select count(*) from metrics where project_id = $1) as metrics`,
        [projectId],
      );
      return {
        customers: Number(rows[0]?.customers),
        subscriptions: Number(rows[0]?.subscriptions),
        metrics: Number(rows[0]?.metrics),
      };
    },

    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

function* inBatches(states: Iterable<RecordState>): Generator<RecordState[]> {
  let batch: RecordState[] = [];
  for (const state of states) {
    batch.push(state);
    if (batch.length < BATCH) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

export type ReadModel = Awaited<ReturnType<typeof openReadModel>>;
