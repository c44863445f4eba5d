import { signatureOf } from '@billing/testing/signed-webhooks';
import { startLocalSystem } from '@billing/local-system';
import type { Client } from 'pg';
import { connectTo } from '../database.ts';
import type { Part, PartOptions, Result } from '../part.ts';
import { poll } from '../poll.ts';
import { compareRates, describeRates } from '../result.ts';
import { startSharedPostgres } from '../bench-postgres.ts';
import { startSyncEngine, type SyncEngine } from '../sync-engine/sync-engine.ts';
import { newTenant, type Tenant } from '../tenant.ts';
import { startLoad, type Load } from '../webhooks/load.ts';
import { hasDueEvents } from '../webhooks/webhook-events-table.ts';
import { newCustomers } from './customers.ts';
import type { History, Recording } from './history.ts';
import { startHistoryProcessor, type HistoryProcessor } from './processor.ts';
import { newPrice, recordHistory } from './record.ts';
import { verifyBilling } from './verify-billing.ts';
import { verifySyncEngine } from './verify-sync-engine.ts';

const CUSTOMERS = 2_000;
const WARM_UP_CUSTOMERS = 200;
const CONNECTIONS = 32;
/** The monthly price of each subscription, in cents. */
const UNIT_AMOUNT = 2_999;

/** What all rounds use. */
interface Sides {
  readonly gatewayUrl: string;
  readonly database: Client;
  readonly processor: HistoryProcessor;
  readonly syncEngine: SyncEngine;
  readonly load: Load;
  readonly recording: Recording;
}

/** Sends the histories of new customers to our gateway and to the sync engine, which use one PostgreSQL server. */
export const history: Part = { name: 'history', measure };

async function measure({ rounds, scale }: PartOptions): Promise<Result[]> {
  await using resources = new AsyncDisposableStack();
  const { adminUrl, dataDir } = resources.use(await startSharedPostgres());
  const processor = resources.use(await startHistoryProcessor());
  const syncEngine = resources.use(await startSyncEngine({ adminUrl, stripeUrl: processor.url }));
  const stripeApiBaseUrl = processor.url;
  const options = { dataDir, databaseUrl: adminUrl, stripeApiBaseUrl, logLevel: 'warn' };
  const system = resources.use(await startLocalSystem(options));
  const gatewayUrl = system.gatewayUrl.replace('localhost', '127.0.0.1');
  const database = resources.use(await connectTo(adminUrl));
  const load = resources.use(startLoad());

  const recorded = await newTenant({ gatewayUrl: system.gatewayUrl, processorUrl: processor.url });
  const recording = await recordHistory(recorded, await newPrice(recorded, UNIT_AMOUNT), processor.localUrl);
  const sides: Sides = { gatewayUrl, database, processor, syncEngine, load, recording };
  const newRound = async (name: string, first: number, count: number) => {
    const tenant = await newTenant({ gatewayUrl: system.gatewayUrl, processorUrl: processor.url });
    const round = await measureRound(sides, tenant, { first, count });
    console.log(`${name}: ${describeRates('applied/s', round.ours, round.theirs)}`);
    return round;
  };
  const perRound = Math.ceil(CUSTOMERS / scale);
  await newRound('warm-up', 0, Math.ceil(WARM_UP_CUSTOMERS / scale));
  const measured = [];
  for (let round = 1; round <= rounds; round += 1)
    measured.push(await newRound(`round ${round}`, WARM_UP_CUSTOMERS + round * perRound, perRound));
  return [
    compareRates({
      what: 'events of a mixed history applied/s',
      ours: measured.map(it => it.ours),
      theirs: measured.map(it => it.theirs),
      other: 'sync engine',
      atLeast: 0.9,
    }),
  ];
}

/** Returns the events that each side applied per second. @throws Error unless the tables of both sides are exact */
async function measureRound(sides: Sides, tenant: Tenant, numbers: { first: number; count: number }) {
  const { gatewayUrl, database, processor, syncEngine, load, recording } = sides;
  const price = await newPrice(tenant, UNIT_AMOUNT);
  const customers = await newCustomers(tenant, numbers);
  const sent: History = { recording, tenant: price, customers };
  processor.add(sent);
  await postCatalog(syncEngine, tenant, processor.localUrl);

  const count = customers.length * (recording.purchase.length + recording.renewals.length);
  const job = { history: sent, count, connections: CONNECTIONS };
  const url = `${gatewayUrl}/api/webhooks/processor/${tenant.teamId}`;
  const ours = await load.send({ ...job, url, secret: tenant.webhookSecret });
  const appliedAt = await untilApplied(database, tenant, count);
  await verifyBilling(tenant, sent, { database, unitAmount: UNIT_AMOUNT });
  const theirs = await load.send({ ...job, url: syncEngine.url, secret: syncEngine.secret });
  await verifySyncEngine(syncEngine.database, sent, UNIT_AMOUNT);

  const perSecond = (startedAt: number, endedAt: number) => count / ((endedAt - startedAt) / 1_000);
  return {
    ours: perSecond(ours.startedAt, Math.max(appliedAt, ours.endedAt)),
    // The sync engine applies an event before it responds.
    theirs: perSecond(theirs.startedAt, theirs.endedAt),
  };
}

/** Sends the sync engine the events of the tenant's product and price: without them it reads the price from Stripe. */
async function postCatalog({ url, secret }: SyncEngine, { secretKey }: Tenant, processorUrl: string): Promise<void> {
  const response = await fetch(`${processorUrl}/v1/events?types[]=product.created&types[]=price.created`, {
    headers: { authorization: `Bearer ${secretKey}` },
  });
  const { data } = (await response.json()) as { data: object[] }; // as Stripe returns it
  if (data.length === 0) throw new Error('The processor emitted no events of the product and its price.');
  for (const event of data) {
    const body = JSON.stringify(event);
    const headers = { 'content-type': 'application/json', 'stripe-signature': signatureOf(body, secret) };
    const { status } = await fetch(url, { method: 'POST', headers, body });
    if (status !== 200) throw new Error(`The sync engine responded with ${status} to an event of the catalog.`);
  }
}

/**
 * Waits until `count` generated events of the team are completed. Returns when the last one was processed, in
 * milliseconds since 1970.
 * @throws Error when one was not processed
 */
async function untilApplied(database: Client, { teamId }: Tenant, count: number): Promise<number> {
  const read = async () => {
    const { rows } = await database.query<{ completed: number; processed: number; processed_ms: number }>(
      `select count(*)::int as completed, count(*) filter (where status = 'processed')::int as processed,
              extract(epoch from max(processed_at))::float8 * 1000 as processed_ms
         from webhooks.webhook_events where team_id = $1 and id like 'evt\\_h%' and status <> 'received'`,
      [teamId],
    );
    return rows[0] ?? { completed: 0, processed: 0, processed_ms: 0 };
  };
  // Reading all events takes processor time from what is measured, so it begins when none is due.
  const isDone = async () => !(await hasDueEvents(database, teamId)) && (await read()).completed === count;
  await poll(isDone, `${count} events to be processed`);
  const { processed, processed_ms: endedAt } = await read();
  if (processed !== count) throw new Error(`${count - processed} of ${count} events were not processed.`);
  return endedAt;
}
