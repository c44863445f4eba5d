import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type FaultySystem, startFaultySystem } from '../system/faulty-system.ts';
import { createEventGenerator } from '../system/load.ts';
import { seededRandom } from '../system/random.ts';
import { postEvent } from '../system/sender.ts';
import type { SentEvent } from '../system/sent-requests.ts';
import { expectInvariantsAfterDrain, expectInvariantsUnderLoad } from '../system/under-load.ts';

const SERVICES = ['gateway', 'catalog', 'customers', 'subscriptions', 'referrals', 'analytics', 'webhooks', 'portal'];
/** Identity tokens of the gateway are valid while two clocks differ by at most a minute. */
const TOLERATED_SECONDS = 25;
const TEN_MINUTES = 600;

const random = seededRandom('clock skew');
const resources = new AsyncDisposableStack();
let system: FaultySystem;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'billing-clocks-'));
  resources.defer(() => rm(folder, { recursive: true }));
  await Promise.all(SERVICES.map(service => writeFile(skewFile(service), '0')));
  const NODE_OPTIONS = `--import=${pathToFileURL(join(import.meta.dirname, '../system/skewed-clock.ts')).href}`;
  const env = Object.fromEntries(
    SERVICES.map(service => [service, { NODE_OPTIONS, CLOCK_SKEW_FILE: skewFile(service) }]),
  );
  system = resources.use(await startFaultySystem({ env }));
});
afterAll(() => resources.disposeAsync());

const skewFile = (service: string) => join(folder, service);

/** Restarts a service with its clock shifted by this many seconds. */
async function setClock(service: string, aheadSeconds: number): Promise<void> {
  await writeFile(skewFile(service), `${aheadSeconds * 1_000}`);
  await system.killAndReplace(service);
}

it('keeps the processor’s event order when service clocks differ by seconds', async context => {
  const clocks = SERVICES.map(service => ({
    service,
    aheadSeconds: random.between(-TOLERATED_SECONDS, TOLERATED_SECONDS),
  }));
  await Promise.all(clocks.map(({ service, aheadSeconds }) => setClock(service, aheadSeconds)));
  await system.untilReady();
  try {
    await expectInvariantsUnderLoad(context, { system, random }, load => load.untilAcknowledged(75));
  } finally {
    await Promise.all(SERVICES.map(service => setClock(service, 0)));
    await system.untilReady();
  }
});

it.for([
  { service: 'webhooks', aheadSeconds: TEN_MINUTES, status: 503, reason: 'identity tokens look expired' },
  { service: 'webhooks', aheadSeconds: -TEN_MINUTES, status: 400, reason: 'signatures look future' },
  { service: 'gateway', aheadSeconds: -TEN_MINUTES, status: 503, reason: 'its identity tokens look expired' },
])(
  'rejects events with $status while the $service clock is off by $aheadSeconds s: $reason',
  async ({ service, aheadSeconds, status }, context) => {
    const tenant = await system.newTenant();
    const generator = await createEventGenerator(tenant, random);
    const events = Array.from({ length: 20 }, () => generator.next());
    await setClock(service, aheadSeconds);
    try {
      await Promise.all(events.map(event => postEvent(system.gatewayUrl, tenant, event)));
    } finally {
      await setClock(service, 0);
    }
    await system.untilReady();
    expect(new Set(events.flatMap(({ statuses }) => statuses))).toEqual(new Set([status]));
    const redelivered: SentEvent[] = events.map(event => ({ ...event, outcome: undefined, statuses: [] }));
    await expectInvariantsAfterDrain(context, { system, tenant, sent: { events: redelivered, writes: [] } });
  },
);

it.for([
  { service: 'gateway', aheadSeconds: TEN_MINUTES },
  { service: 'subscriptions', aheadSeconds: -TEN_MINUTES },
  { service: 'customers', aheadSeconds: -TEN_MINUTES },
])('keeps every invariant while the $service clock is off by $aheadSeconds s', async (skew, context) => {
  await setClock(skew.service, skew.aheadSeconds);
  try {
    await expectInvariantsUnderLoad(context, { system, random }, load => load.untilAcknowledged(25));
  } finally {
    await setClock(skew.service, 0);
  }
});
