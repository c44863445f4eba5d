import type { ProjectScope } from '@billing/contracts/ids';
import { connectTo } from '../database.ts';
import type { Generated } from './generate-records.ts';

/** The metrics that both sides compute; `mrr` in cents, the churn rate of 30 days in percent. */
export interface PlainMetrics {
  readonly mrr: number;
  readonly customers: number;
  readonly churnRate: number;
}

/** Rows per insert. */
const BATCH = 2_000;

/**
 * Opens tables with the newest state of every customer and subscription, as an application without a read model has
 * them.
 */
export async function openPlainTables(databaseUrl: string) {
  await using resources = new AsyncDisposableStack();
  const client = resources.use(await connectTo(databaseUrl));
  await client.query(`
    create table plain_customers (
      project_id text not null, id text not null, created_at timestamptz not null, deleted_at timestamptz,
      primary key (project_id, id));
    create table plain_subscriptions (
      project_id text not null, id text not null, status text not null, currency text not null,
      unit_amount bigint not null, quantity int not null, "interval" text not null, interval_count int not null,
      started_at timestamptz not null, inactive_since timestamptz, ended_at timestamptz,
      primary key (project_id, id))`);
  const opened = resources.move();

  return {
    async insert(records: Iterable<Generated>): Promise<void> {
      const all = [...records];
      for (let first = 0; first < all.length; first += BATCH) {
        const batch = all.slice(first, first + BATCH);
        await client.query(
          `insert into plain_customers select * from json_populate_recordset(null::plain_customers, $1)`,
          [JSON.stringify(batch.map(toCustomerRow))],
        );
        await client.query(
          `insert into plain_subscriptions select * from json_populate_recordset(null::plain_subscriptions, $1)`,
          [JSON.stringify(batch.flatMap(toSubscriptionRow))],
        );
      }
    },

    /** Copies the rows of a project to another one `copies` times, each copy under new ids. */
    async copy(from: ProjectScope, to: ProjectScope, copies: number): Promise<void> {
      const values = [from.projectId, to.projectId, copies];
      await client.query(
        `insert into plain_customers
         select $2, id || 'x' || copy, created_at, deleted_at
           from plain_customers, generate_series(1, $3::int) copy where project_id = $1`,
        values,
      );
      await client.query(
        `insert into plain_subscriptions
         select $2, id || 'x' || copy, status, currency, unit_amount, quantity, "interval", interval_count,
                started_at, inactive_since, ended_at
           from plain_subscriptions, generate_series(1, $3::int) copy where project_id = $1`,
        values,
      );
    },

    async vacuum(): Promise<void> {
      await client.query('vacuum (analyze) plain_customers, plain_subscriptions');
    },

    /** Computes the metrics of a project from all of its rows. */
    async aggregate({ projectId }: ProjectScope): Promise<PlainMetrics> {
      const { rows } = await client.query<{ mrr: string; customers: string; alive: string; lost: string }>(AGGREGATE, [
        projectId,
      ]);
      const [row] = rows;
      const [alive, lost] = [Number(row?.alive), Number(row?.lost)];
      return {
        mrr: Number(row?.mrr),
        customers: Number(row?.customers),
        churnRate: alive === 0 ? 0 : Math.round((lost * 10_000) / alive) / 100,
      };
    },

    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

export type PlainTables = Awaited<ReturnType<typeof openPlainTables>>;

/** `alive` are the subscriptions that were active or trialing at the start of the window, `lost` those that ended since. */
const AGGREGATE = `
  with windowed as (select now() - interval '30 days' as start)
  select (select count(*) from plain_customers where project_id = $1 and deleted_at is null) as customers,
         round(sum(unit_amount * quantity
                   * case "interval" when 'month' then 12 when 'year' then 1 when 'week' then 52 else 365 end
                   / (12::float8 * interval_count))
                 filter (where status in ('active', 'trialing') and currency = 'usd')) as mrr,
         count(*) filter (where started_at <= start and (inactive_since is null or inactive_since > start)) as alive,
         count(*) filter (where started_at <= start and inactive_since > start
                            and ended_at > start and ended_at <= now()) as lost
    from plain_subscriptions, windowed where project_id = $1`;

const toCustomerRow = ({ customer }: Generated) => ({
  project_id: customer.projectId,
  id: customer.id,
  created_at: customer.createdAt,
  deleted_at: customer.deletedAt,
});

function toSubscriptionRow({ versions }: Generated) {
  const newest = versions.at(-1);
  const state = newest?.state;
  const item = state?.items[0];
  if (!state || !item) return [];
  return [
    {
      project_id: state.projectId,
      id: state.id,
      status: state.status,
      currency: item.currency,
      unit_amount: item.unitAmount,
      quantity: item.quantity,
      interval: item.interval,
      interval_count: item.intervalCount,
      started_at: state.startedAt,
      inactive_since: state.status === 'active' || state.status === 'trialing' ? null : newest.recordedAt,
      ended_at: state.endedAt,
    },
  ];
}
