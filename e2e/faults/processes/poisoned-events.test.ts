import { waitFor } from '@billing/testing/wait-for';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { drain } from '../../system/drain.ts';
import { ok } from '../../system/http.ts';
import { newEmail } from '../../system/tenant.ts';
import { RECONCILER_OFF } from '../events/history.ts';
import { checkInvariants } from '../invariants/check-invariants.ts';
import { expectNoViolations } from '../invariants/expect-invariants.ts';
import { readWebhookEvents } from '../invariants/snapshot.ts';
import { type FaultySystem, startFaultySystem } from '../system/faulty-system.ts';
import { createEventGenerator } from '../system/load.ts';
import { lockSubscription } from '../system/lock-subscription.ts';
import { newProcessorId, subscriptionEvent, webhookEvent } from '../system/webhook-events.ts';
import { seededRandom } from '../system/random.ts';
import { postEvent } from '../system/sender.ts';
import { mapConcurrently } from '../../system/map-concurrently.ts';
import { recordTally } from '../system/tally.ts';

const random = seededRandom('poisoned events');
let system: FaultySystem;
beforeAll(async () => {
  // The reconciler would fetch the customer event that this test drops.
  system = await startFaultySystem({ env: { webhooks: RECONCILER_OFF } });
});
afterAll(() => system?.[Symbol.asyncDispose]());

it('dead-letters poisoned events only, and processes their replays', async context => {
  const tenant = await system.newTenant();
  const generator = await createEventGenerator(tenant, random);
  const now = Math.floor(Date.now() / 1_000);

  // Its data is invalid: no retry can succeed.
  const invalid = webhookEvent(
    'customer.subscription.created',
    { id: newProcessorId('sub'), object: 'subscription', metadata: { projectId: tenant.projectId } },
    now,
  );
  // Its customer exists at the processor but not in billing: every attempt throws until the customer is created.
  const email = newEmail();
  await tenant.processor.setDeliveryRules({ dropNext: 1 });
  const { id: stranger } = await tenant.callProcessor('/v1/customers', { email });
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
  // The row of its subscription is locked: every attempt hangs until its timeout.
  const first = generator.next();
  await postEvent(system.gatewayUrl, tenant, first);
  await drain(tenant);
  const { id: lockedId } = JSON.parse(first.body).data.object;
  await using lock = await lockSubscription(system, lockedId);
  const lockedState = generator.subscriptions.get(lockedId);
  if (!lockedState) throw new Error('The first event created no subscription.');
  const hanging = subscriptionEvent('updated', { ...lockedState, quantity: 77 }, now);
  const others = Array.from({ length: 200 }, () => generator.next({ except: lockedId }));
  const events = random.shuffled([invalid, early, hanging, ...others]);
  await mapConcurrently(events, event => postEvent(system.gatewayUrl, tenant, event));
  const sent = { events: [first, ...others, invalid, early, hanging], writes: [] };

  const poisoned = new Set([invalid.id, early.id, hanging.id]);
  // Eight attempts with back-off take about a minute.
  const poisonedRun = await checkInvariants({ tenant, sent, poisoned, drainMs: 240_000 });
  expectNoViolations(poisonedRun);
  const failed = (await readWebhookEvents(tenant)).filter(({ status }) => status === 'failed');
  expect(new Map(failed.map(({ id, attempts }) => [id, attempts]))).toEqual(
    new Map([
      [invalid.id, 1],
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
    });
  const violations = await checkInvariants({ tenant, sent, poisoned: new Set([invalid.id]), drainMs: 240_000 });
  recordTally(context, sent, violations, violations.drainMs);
  expectNoViolations(violations);
});
