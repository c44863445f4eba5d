import { waitFor } from '@billing/testing/wait-for';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { countUnpublished } from '../system/count-unpublished.ts';
import { type FaultySystem, startFaultySystem } from '../system/faulty-system.ts';
import { seededRandom } from '../system/random.ts';
import { expectInvariantsUnderLoad } from '../system/under-load.ts';

/** Low enough for the load to reach within seconds. */
const LOW_LIMITS = { webhooks: { OUTBOX_HIGH_WATER: '40' }, customers: { OUTBOX_HIGH_WATER: '5' } };
const READS = ['/customers', '/webhook-events', '/subscriptions'];

const random = seededRandom('full outbox');
let system: FaultySystem;
beforeAll(async () => {
  system = await startFaultySystem({ env: LOW_LIMITS });
});
afterAll(() => system?.[Symbol.asyncDispose]());

it('returns 503 for webhooks and writes while outboxes are full', async context => {
  const sent = await expectInvariantsUnderLoad(context, { system, random }, async (load, tenant) => {
    await system.takeDown('nats', 'SIGKILL');
    for (const kind of ['events', 'writes'] as const)
      await waitFor(() => load.sent[kind].some(({ statuses }) => statuses.includes(503)), {
        what: `503 for ${kind}`,
      });
    for (const path of READS) expect((await tenant.user.get(tenant.P + path)).status).toBe(200);
    await system.bringBack('nats');
  });
  expect(new Set(sent.events.flatMap(({ statuses }) => statuses))).toEqual(new Set([200, 503]));
  expect(new Set(sent.writes.flatMap(({ statuses }) => statuses))).toEqual(new Set([201, 503]));
  await waitFor(async () => (await countUnpublished(system)) === 0, {
    what: 'the outboxes to be empty',
  });
});
