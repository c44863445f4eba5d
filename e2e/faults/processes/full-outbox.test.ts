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

/** 429 while most that waits is of the caller's team. */
const isRefused = (status: number): boolean => status === 429 || status === 503;

it('refuses webhooks and writes while outboxes are full', async context => {
  const sent = await expectInvariantsUnderLoad(context, { system, random }, async (load, tenant) => {
    await system.takeDown('nats', 'SIGKILL');
    for (const kind of ['events', 'writes'] as const)
      await waitFor(() => load.sent[kind].some(({ statuses }) => statuses.some(isRefused)), {
        what: `refusals of ${kind}`,
      });
    for (const path of READS) expect((await tenant.user.get(tenant.P + path)).status).toBe(200);
    await system.bringBack('nats');
  });
  const accepted = (statuses: readonly number[]) => statuses.filter(status => !isRefused(status));
  expect(new Set(sent.events.flatMap(({ statuses }) => accepted(statuses)))).toEqual(new Set([200]));
  expect(new Set(sent.writes.flatMap(({ statuses }) => accepted(statuses)))).toEqual(new Set([201]));
  await waitFor(async () => (await countUnpublished(system)) === 0, {
    what: 'the outboxes to be empty',
  });
});
