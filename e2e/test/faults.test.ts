import { expect, it } from 'vitest';
import { startFaultySystem } from '../faults/system/faulty-system.ts';
import { seededRandom } from '../faults/system/random.ts';
import { expectKeptUnderLoad } from '../faults/system/under-load.ts';

const KILLED = ['webhooks', 'subscriptions', 'nats', 'postgres'];

it(
  'loses and doubles nothing when services, NATS and PostgreSQL are killed in turn under load',
  { timeout: 600_000 },
  async context => {
    const random = seededRandom('short fault run');
    await using system = await startFaultySystem();
    const sent = await expectKeptUnderLoad(context, { system, random, eventsPerSecond: 20 }, async () => {
      for (const part of random.shuffled(KILLED))
        await system.killAndReplace(part, part === 'postgres' ? 'SIGQUIT' : 'SIGKILL');
    });
    expect(sent.events.length).toBeGreaterThan(0);
  },
);
