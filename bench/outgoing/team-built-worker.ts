import { Pool } from 'pg';
import { PgBoss, type Job } from 'pg-boss';
import { Webhook } from 'standardwebhooks';
import { QUEUE } from './team-built-queue.ts';

const [databaseUrl = ''] = process.argv.slice(2);
const TIMEOUT_MS = 15_000;
const MAX_KEPT = 4_096;

const WORKERS = 4;
/** Jobs that one worker takes at once; their requests run side by side. */
const BATCH = 50;

interface Delivery {
  readonly eventId: string;
  readonly endpointId: string;
}

interface Sendable extends Delivery {
  readonly body: string;
  readonly url: string;
  readonly secret: string;
}

/** Posts events as jobs say, signed as Standard Webhooks; what fails is tried again by pg-boss. */
async function deliver(): Promise<void> {
  const pool = new Pool({ connectionString: databaseUrl, max: 10 });
  const boss = new PgBoss({ connectionString: databaseUrl, useListenNotify: true });
  boss.on('error', err => console.error(err));
  await boss.start();
  await boss.work(
    QUEUE,
    {
      batchSize: BATCH,
      localConcurrency: WORKERS,
      burstWhenBatchFull: true,
      pollingIntervalSeconds: 0.5,
      notifyPollingIntervalSeconds: 0.5,
      perJobResults: true,
    },
    async (jobs: Job<Delivery>[]) => {
      const { rows } = await pool.query<Sendable>(
        `select e.id as "eventId", e.body, p.id as "endpointId", p.url, p.secret
           from unnest($1::text[], $2::text[]) as d(event_id, endpoint_id)
           join events e on e.id = d.event_id join endpoints p on p.id = d.endpoint_id`,
        [jobs.map(({ data }) => data.eventId), jobs.map(({ data }) => data.endpointId)],
      );
      const sendable = new Map(rows.map(row => [`${row.eventId} ${row.endpointId}`, row]));
      return Promise.all(jobs.map(({ id, data }) => send(id, sendable.get(`${data.eventId} ${data.endpointId}`))));
    },
  );
  process.once('SIGTERM', () => void boss.stop({ graceful: false }).then(() => process.exit(0)));
  process.send?.('ready');
}

async function send(id: string, delivery: Sendable | undefined) {
  if (!delivery) return { id, status: 'completed' as const };
  const { eventId, body, url, secret } = delivery;
  const at = new Date();
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'webhook-id': eventId,
        'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
        'webhook-signature': new Webhook(secret).sign(eventId, at, body),
      },
      body,
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const output = { status: response.status, body: (await response.text()).slice(0, MAX_KEPT) };
    return { id, status: response.ok ? ('completed' as const) : ('failed' as const), output };
  } catch (err) {
    return { id, status: 'failed' as const, output: { error: String(err) } };
  }
}

await deliver();
