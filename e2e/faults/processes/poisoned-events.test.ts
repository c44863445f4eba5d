import { waitFor } from '@billing/testing/wait-for';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ok } from '../../system/http.ts';
import { newEmail } from '../../system/tenant.ts';
import { checkInvariants } from '../invariants/check-invariants.ts';
import { readEvents } from '../invariants/shown.ts';
import { type FaultySystem, startFaultySystem } from '../system/faulty-system.ts';
import { drain } from '../system/drain.ts';
import { eventsOf } from '../system/load.ts';
import { holdSubscription } from '../system/held-record.ts';
import { eventOf, newProcessorId, subscriptionEvent } from '../system/processor-events.ts';
import { seededRandom } from '../system/random.ts';
import { eachOf, postEvent } from '../system/sender.ts';
import { recordTally } from '../system/tally.ts';
import { expectKept } from '../system/under-load.ts';

const random = seededRandom('poisoned events');
let system: FaultySystem;
beforeAll(async () => {
  // What no webhook brought would be looked for at the processor after a while.
  system = await startFaultySystem({ env: { webhooks: { HEALING_INTERVAL_SECONDS: '86400' } } });
});
afterAll(() => system?.[Symbol.asyncDispose]());

it('sets poisoned events aside while all others pass, and handles them once their reason is mended', async context => {
  const tenant = await system.newTenant();
  const draw = await eventsOf(tenant, random);
  const now = Math.floor(Date.now() / 1_000);

  // Nobody can read it, however often it is tried.
  const unreadable = eventOf(
    'customer.subscription.created',
    { id: newProcessorId('sub'), object: 'subscription', metadata: { projectId: tenant.projectId } },
    now,
  );
  // Its customer is at the processor and in no project yet: every attempt throws until there is one.
  const email = newEmail();
  await tenant.processor.setDeliveryRules({ dropNext: 1 });
  const { id: stranger } = await tenant.askProcessor('/v1/customers', { email });
  const early = subscriptionEvent(
    'created',
    {
      id: newProcessorId('sub'),
      customer: stranger,
      projectId: tenant.projectId,
      status: 'active',
      quantity: 1,
      startedAt: now - 60,
    },
    now - 60,
  );
  // Its record is locked: every attempt hangs until it is cut off.
  const held = draw.next();
  await postEvent(system.gatewayUrl, tenant, held);
  await drain(tenant);
  const { id: heldId } = JSON.parse(held.body).data.object;
  await using lock = await holdSubscription(system, heldId);
  const heldState = draw.subscriptions.get(heldId);
  if (!heldState) throw new Error('The first event made no subscription.');
  const hanging = subscriptionEvent('updated', { ...heldState, quantity: 77 }, now);
  const others = Array.from({ length: 200 }, () => draw.next({ but: heldId }));
  const events = random.shuffled([unreadable, early, hanging, ...others]);
  await eachOf(events, event => postEvent(system.gatewayUrl, tenant, event));
  const sent = { events: [held, ...others, unreadable, early, hanging], writes: [] };

  const poisoned = new Set([unreadable.id, early.id, hanging.id]);
  // Eight attempts with growing pauses take a minute.
  const poisonedFindings = await checkInvariants({ tenant, sent, poisoned, drainMs: 240_000 });
  expectKept(poisonedFindings);
  const failed = (await readEvents(tenant)).filter(({ status }) => status === 'failed');
  expect(new Map(failed.map(({ id, attempts }) => [id, attempts]))).toEqual(
    new Map([
      [unreadable.id, 1],
      [early.id, 8],
      [hanging.id, 8],
    ]),
  );
  expect(failed.filter(({ error }) => !error)).toEqual([]);

  await tenant.billing.customers.create({ email });
  await lock.release();
  for (const { id } of [early, hanging])
    await waitFor(async () => ok(tenant.user.post(`${tenant.P}/webhook-events/${id}/replay`)), {
      what: `the event ${id} to be replayed`,
      timeoutMs: 30_000,
    });
  const findings = await checkInvariants({ tenant, sent, poisoned: new Set([unreadable.id]), drainMs: 240_000 });
  recordTally(context, sent, findings, findings.drainMs);
  expectKept(findings);
});
