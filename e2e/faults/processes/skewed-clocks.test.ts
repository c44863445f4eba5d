import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type FaultySystem, startFaultySystem } from '../system/faulty-system.ts';
import { eventsOf } from '../system/load.ts';
import { seededRandom } from '../system/random.ts';
import { postEvent } from '../system/sender.ts';
import type { SentEvent } from '../system/sent.ts';
import { expectSettled, expectKeptUnderLoad } from '../system/under-load.ts';

const SERVICES = ['gateway', 'catalog', 'customers', 'subscriptions', 'referrals', 'analytics', 'webhooks', 'portal'];
/** Two clocks may differ by a minute; what the gateway says of who asks is not believed beyond that. */
const WITHIN_TOLERANCE_S = 25;
const TEN_MINUTES_S = 600;

const random = seededRandom('skewed clocks');
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

/** Starts the service again with a clock that is ahead. */
async function setClock(service: string, aheadS: number): Promise<void> {
  await writeFile(skewFile(service), `${aheadS * 1_000}`);
  await system.killAndReplace(service);
}

it('keeps the processor’s order whatever the clocks of the services say', async context => {
  const clocks = SERVICES.map(service => ({
    service,
    aheadS: random.between(-WITHIN_TOLERANCE_S, WITHIN_TOLERANCE_S),
  }));
  await Promise.all(clocks.map(({ service, aheadS }) => setClock(service, aheadS)));
  await system.untilReady();
  try {
    await expectKeptUnderLoad(context, { system, random }, () => delay(3_000));
  } finally {
    await Promise.all(SERVICES.map(service => setClock(service, 0)));
    await system.untilReady();
  }
});

it.for([
  { service: 'webhooks', aheadS: TEN_MINUTES_S, answer: 503, why: 'statements seem outdated to it' },
  { service: 'webhooks', aheadS: -TEN_MINUTES_S, answer: 400, why: 'signatures seem to come from the future' },
  { service: 'gateway', aheadS: -TEN_MINUTES_S, answer: 503, why: 'its statements seem outdated' },
])(
  'takes no event while the clock of $service is $aheadS s ahead, since $why, and all of them after',
  async ({ service, aheadS, answer }, context) => {
    const tenant = await system.newTenant();
    const draw = await eventsOf(tenant, random);
    const events = Array.from({ length: 20 }, () => draw.next());
    await setClock(service, aheadS);
    try {
      await Promise.all(events.map(event => postEvent(system.gatewayUrl, tenant, event)));
    } finally {
      await setClock(service, 0);
    }
    await system.untilReady();
    expect(new Set(events.flatMap(({ answers }) => answers))).toEqual(new Set([answer]));
    const again: SentEvent[] = events.map(event => ({ ...event, outcome: undefined, answers: [] }));
    await expectSettled(context, { system, tenant, sent: { events: again, writes: [] } });
  },
);

it.for([
  { service: 'gateway', aheadS: TEN_MINUTES_S },
  { service: 'subscriptions', aheadS: -TEN_MINUTES_S },
  { service: 'customers', aheadS: -TEN_MINUTES_S },
])('keeps every promise while the clock of $service is $aheadS s ahead', async ({ service, aheadS }, context) => {
  await setClock(service, aheadS);
  try {
    await expectKeptUnderLoad(context, { system, random }, () => delay(1_000));
  } finally {
    await setClock(service, 0);
  }
});
