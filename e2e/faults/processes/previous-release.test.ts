import { expect, it } from 'vitest';
import { startFaultySystem } from '../system/faulty-system.ts';
import { openPreviousRelease } from '../system/previous-release.ts';
import { seededRandom } from '../system/random.ts';
import { expectInvariantsUnderLoad } from '../system/under-load.ts';

const SERVICES = ['gateway', 'catalog', 'customers', 'subscriptions', 'referrals', 'analytics', 'webhooks', 'portal'];

const random = seededRandom('previous release');

it('serves with copies of the previous release on the migrated database', async context => {
  const release = await openPreviousRelease();
  if (typeof release === 'string') {
    context.skip(`not run: ${release}`);
    return;
  }
  await using resources = new AsyncDisposableStack();
  const { root: formerRoot } = resources.use(release);
  await using system = await startFaultySystem({
    instances: Object.fromEntries(SERVICES.map(service => [service, 2])),
    formerRoot,
  });
  const gatewayUrls = [system.gatewayUrl, system.urlOf('gateway-2')];
  // At this rate the load lasts until the former version is alone, also on a busy machine.
  const run = { system, random, gatewayUrls, eventsPerSecond: 6, writesPerSecond: 0.7 };
  const sent = await expectInvariantsUnderLoad(context, run, async load => {
    await load.untilAcknowledged(60);
    // Started anew, the former version finds migrations that it does not know.
    for (const service of ['subscriptions-2', 'webhooks-2']) await system.killAndReplace(service, 'SIGTERM');
    // Alone, it handles everything.
    await Promise.all(SERVICES.filter(service => service !== 'gateway').map(service => system.takeDown(service)));
    const before = load.sent.events.length;
    await load.untilAcknowledged(60);
    expect(load.sent.events.length).toBeGreaterThan(before);
    await Promise.all(SERVICES.filter(service => service !== 'gateway').map(service => system.bringBack(service)));
  });
  expect(sent.events.length).toBeGreaterThan(120);
});
