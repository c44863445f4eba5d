import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type FaultySystem, startFaultySystem } from '../system/faulty-system.ts';
import { seededRandom } from '../system/random.ts';
import { expectKeptUnderLoad } from '../system/under-load.ts';

const random = seededRandom('lost database');
let system: FaultySystem;
beforeAll(async () => {
  system = await startFaultySystem();
});
afterAll(() => system?.[Symbol.asyncDispose]());

it('loses and doubles nothing when PostgreSQL stops at once, again and again', async context => {
  await expectKeptUnderLoad(context, { system, random }, async () => {
    for (let time = 0; time < 3; time += 1) {
      await system.killAndReplace('postgres', 'SIGQUIT');
      await delay(random.between(0, 1_000));
    }
  });
});

it('says that the database is away, and is back with it', async context => {
  const sent = await expectKeptUnderLoad(context, { system, random }, async () => {
    await system.takeDown('postgres', 'SIGQUIT');
    await delay(10_000);
    await system.bringBack('postgres');
  });
  expect(new Set(sent.events.flatMap(({ answers }) => answers))).toEqual(new Set([200, 503]));
});
