import Fastify from 'fastify';
import { Pool } from 'pg';
import { toShownItem, type ShownItem } from '../load/shown-item.ts';

const [databaseUrl = '', teamId = '', projectId = ''] = process.argv.slice(2);

/** What a list of a project's subscriptions shows of a row. */
const COLUMNS = `id, customer_id as "customerId", processor_subscription_id as "processorSubscriptionId", status,
  price_id as "priceId", quantity, items, cancel_at_period_end as "cancelAtPeriodEnd", cancel_at as "cancelAt",
  canceled_at as "canceledAt", cancellation, started_at as "startedAt", trial_end as "trialEnd", ended_at as "endedAt",
  case when pause_behavior is not null
       then jsonb_build_object('behavior', pause_behavior, 'resumesAt', pause_resumes_at) end as "pauseCollection",
  current_period_start as "currentPeriodStart", current_period_end as "currentPeriodEnd", discounts,
  schedule -> 'change' as "scheduledChange", pending_change as "pendingChange", metadata,
  project_id as "projectId", created_at as "createdAt", updated_at as "updatedAt"`;
const ROWS = `from subscriptions.subscriptions
  where team_id = $1 and project_id = $2 and status in ('active', 'trialing')`;

/** Serves the active subscriptions of one project from the same table with plain SQL, without authentication. */
async function serve(): Promise<void> {
  const pool = new Pool({ connectionString: databaseUrl, max: 10 });
  const app = Fastify();
  app.get<{ Querystring: { limit: string } }>('/subscriptions', async ({ query }) => {
    const limit = Number(query.limit);
    const [page, counted] = await Promise.all([
      pool.query<{ items: ShownItem[] }>(`select ${COLUMNS} ${ROWS} order by created_at desc, id limit $3`, [
        teamId,
        projectId,
        limit,
      ]),
      pool.query<{ total: number }>(`select count(*)::int as total ${ROWS}`, [teamId, projectId]),
    ]);
    const total = counted.rows[0]?.total ?? 0;
    const subscriptions = page.rows.map(row => ({ ...row, items: row.items.map(toShownItem) }));
    return { subscriptions, pagination: { limit, offset: 0, total, hasMore: subscriptions.length < total } };
  });
  process.send?.({ url: await app.listen({ host: '127.0.0.1', port: 0 }) });
}

await serve();
