import { it } from 'vitest';
import { startFaultySystem } from '../faults/system/faulty-system.ts';
import { seededRandom } from '../faults/system/random.ts';
import { expectInvariantsUnderLoad } from '../faults/system/under-load.ts';

const KILLED = ['webhooks', 'subscriptions', 'nats', 'postgres'];

it('loses and duplicates nothing when parts are killed under load', async context => {
  const random = seededRandom('short fault run');
  await using system = await startFaultySystem();
  await expectInvariantsUnderLoad(context, { system, random, eventsPerSecond: 20 }, async () => {
    for (const part of random.shuffled(KILLED))
      await system.killAndReplace(part, part === 'postgres' ? 'SIGQUIT' : 'SIGKILL');
  });
});
