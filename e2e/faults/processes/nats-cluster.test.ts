import { afterAll, beforeAll, expect, it } from 'vitest';
import { type FaultySystem, startFaultySystem } from '../system/faulty-system.ts';
import { startNatsCluster, type NatsCluster } from '../system/nats-cluster.ts';
import { seededRandom } from '../system/random.ts';
import { expectInvariantsUnderLoad } from '../system/under-load.ts';

const random = seededRandom('nats cluster');
let cluster: NatsCluster;
let system: FaultySystem;
beforeAll(async () => {
  cluster = await startNatsCluster();
  system = await startFaultySystem({ nats: { natsUrl: cluster.url, natsReplicas: 3, urlOf: cluster.urlOf } });
});
afterAll(async () => {
  await system?.[Symbol.asyncDispose]();
  await cluster?.[Symbol.asyncDispose]();
});

it('loses and duplicates nothing when each server of a NATS cluster is killed in turn', async context => {
  expect((await cluster.describeStream()).config.num_replicas).toBe(3);
  const run = { system, random, eventsPerSecond: 15, writesPerSecond: 2 };
  const sent = await expectInvariantsUnderLoad(context, run, async load => {
    for (const which of ['leader', 'follower', 'leader'] as const) {
      const killed = await cluster.kill(which);
      // The other two go on.
      await load.untilAcknowledged(30);
      await cluster.bringBack(killed);
    }
  });
  expect(new Set(sent.events.flatMap(({ statuses }) => statuses))).toEqual(new Set([200]));
  expect(new Set(sent.writes.flatMap(({ statuses }) => statuses))).toEqual(new Set([201]));
});
