import { waitFor } from '@billing/testing/wait-for';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type FaultySystem, startFaultySystem } from '../system/faulty-system.ts';
import { countUnpublished } from '../system/outboxes.ts';
import { seededRandom } from '../system/random.ts';
import { expectKeptUnderLoad } from '../system/under-load.ts';

/** Few enough to be reached within seconds of the load. */
const MARKS = { webhooks: { OUTBOX_HIGH_WATER: '40' }, customers: { OUTBOX_HIGH_WATER: '5' } };
const READS = ['/customers', '/webhook-events', '/subscriptions'];

const random = seededRandom('full outbox');
let system: FaultySystem;
beforeAll(async () => {
  system = await startFaultySystem({ env: MARKS });
});
afterAll(() => system?.[Symbol.asyncDispose]());

it('refuses webhooks and writes while outboxes are full, and takes and passes on all once NATS is back', async context => {
  const sent = await expectKeptUnderLoad(context, { system, random }, async (load, tenant) => {
    await system.takeDown('nats', 'SIGKILL');
    for (const kind of ['events', 'writes'] as const)
      await waitFor(() => load.sent[kind].some(({ answers }) => answers.includes(503)), {
        what: `${kind} to be refused`,
        timeoutMs: 30_000,
      });
    for (const path of READS) expect((await tenant.user.get(tenant.P + path)).status).toBe(200);
    await system.bringBack('nats');
  });
  expect(new Set(sent.events.flatMap(({ answers }) => answers))).toEqual(new Set([200, 503]));
  expect(new Set(sent.writes.flatMap(({ answers }) => answers))).toEqual(new Set([201, 503]));
  await waitFor(async () => (await countUnpublished(system)) === 0, {
    what: 'the outboxes to be empty',
    timeoutMs: 30_000,
  });
});
