import { ProjectId, TeamId } from '@billing/contracts/ids';
import { newApiKey } from '../load/api-key.ts';
import { fetchJson, getRequest, requireOk, startRequestLoad } from '../load/request-load.ts';
import type { PartOptions, Result } from '../part.ts';
import { quantile } from '../statistics.ts';
import { newTenant } from '../tenant.ts';
import type { Billing } from './billing.ts';
import { planProjects } from './side.ts';

const DELIVERIES = 1_000_000;
const ENDPOINTS = 20;
const DAYS = 30;
const DURATION_MS = 10_000;
const PER_SECOND = 20;
const MAX_MS = 25;

/** Lists the deliveries of a project that has a million of them in thirty days, with each filter and far down. */
export async function measureDeliveryLists(ours: Billing, { scale }: PartOptions): Promise<Result[]> {
  const { bench, database } = ours;
  const tenant = await newTenant(bench.system);
  const [{ endpoints } = { endpoints: [] }] = planProjects(ENDPOINTS);
  const { teamId, projectId } = tenant;
  const apiKey = await newApiKey(bench.dataDir, tenant);
  await ours.addEndpoints(
    [{ teamId: TeamId.schema.parse(teamId), projectId: ProjectId.schema.parse(projectId), endpoints }],
    id => `https://example.com/${id}`,
  );
  await insertDeliveries(ours, { teamId, projectId, endpoints, deliveries: Math.ceil(DELIVERIES / scale) });
  const { rows } = await database.query<{ event_id: string }>(
    `select event_id from webhooks.webhook_deliveries where project_id = $1 and created_at < now() - interval '10 days' limit 1`,
    [projectId],
  );
  const authorization = `Bearer ${apiKey}`;
  const list = `${bench.gatewayUrl}/api/service/teams/${teamId}/projects/${projectId}/webhook-deliveries?limit=50`;
  const until = new Date(Date.now() - 15 * 86_400_000).toISOString();
  const { nextCursor } = (await fetchJson(`${list}&until=${until}`, { authorization })) as { nextCursor: string };
  const [endpoint = ''] = endpoints;
  const filters = {
    none: '',
    endpoint: `&endpointId=${endpoint}`,
    failed: '&status=failed',
    'endpoint, failed': `&endpointId=${endpoint}&status=failed`,
    'rare type': '&type=product.deleted',
    'absent type': '&type=price.deleted',
    'absent status': '&status=canceled',
    event: `&eventId=${rows[0]?.event_id}`,
    period: `&since=${new Date(Date.now() - 20 * 86_400_000).toISOString()}&until=${until}`,
    'far down': `&until=${until}&cursor=${nextCursor}`,
  };
  using load = startRequestLoad();
  const p99 = new Map<string, number>();
  for (const [name, filter] of Object.entries(filters)) {
    const requests = [getRequest(`${list}${filter}`, { authorization })];
    const job = { origin: bench.gatewayUrl, requests, pace: { perSecond: PER_SECOND } };
    await load.send({ ...job, durationMs: 1_000 });
    const responses = requireOk(await load.send({ ...job, durationMs: DURATION_MS / scale }));
    const ms = responses.map(it => it.ms);
    p99.set(name, quantile(ms, 0.99));
    console.log(
      `deliveries, filter ${name}: p50 ${quantile(ms, 0.5).toFixed(1)}, p99 ${quantile(ms, 0.99).toFixed(1)} ms`,
    );
  }
  const [[slowest, ms] = ['', NaN]] = [...p99].toSorted((a, b) => b[1] - a[1]);
  return [
    {
      what: `GET P/webhook-deliveries of ${DELIVERIES.toLocaleString('en')}, p99 ms of the slowest filter`,
      billing: `${ms.toFixed(1)} (${slowest})`,
      against: '-',
      goal: `at most ${MAX_MS} ms`,
      isReached: ms <= MAX_MS,
    },
  ];
}

interface Inserted {
  readonly teamId: string;
  readonly projectId: string;
  readonly endpoints: readonly string[];
  readonly deliveries: number;
}

/** Inserts deliveries of thirty days: each event goes to every endpoint, one delivery of fifty failed, one type is rare and old. */
async function insertDeliveries({ database }: Billing, inserted: Inserted): Promise<void> {
  const { teamId, projectId, endpoints, deliveries } = inserted;
  for (let ago = DAYS + 1; ago > 1; ago -= 1) {
    const [from = '', to = ''] = [ago, ago - 1].map(days =>
      new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10),
    );
    await database.query(
      `create table if not exists webhooks.webhook_deliveries_${from.replaceAll('-', '')}
         partition of webhooks.webhook_deliveries for values from ('${from} 00:00+00') to ('${to} 00:00+00')`,
    );
  }
  await database.query(
    `insert into webhooks.webhook_deliveries
       (id, team_id, project_id, endpoint_id, position, event_id, type, object_key, status, attempts, failures, trigger, created_at)
     select 'whd_' || substr(md5(n::text), 1, 24), $1, $2, ($3::text[])[1 + n % $4::int], n / $4::int,
            'ev_' || substr(md5((n / $4::int)::text), 1, 24), case when n < 2 * $4::int then 'product.deleted' else 'customer.updated' end,
            'customer ' || n / $4::int, case when n % 50 = 0 then 'failed' else 'succeeded' end, 1, 0, 'automatic',
            now() - make_interval(days => ${DAYS}) * (1 - n::float8 / $5::int)
       from generate_series(0, $5::int - 1) n`,
    [teamId, projectId, endpoints, endpoints.length, deliveries],
  );
  await database.query('vacuum analyze webhooks.webhook_deliveries');
}
