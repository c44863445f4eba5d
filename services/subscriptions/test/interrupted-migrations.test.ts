import { AuditRecorded } from '@billing/contracts/events/audit';
import type { SubscriptionId } from '@billing/contracts/ids';
import { callsAround } from '@billing/processor/calls-around';
import type { Processor } from '@billing/processor/port';
import type { TeamProcessors } from '@billing/processor/team-processors';
import { runs } from '@billing/testing/runs';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { leaseMigrations, runMigration } from '../src/price-migrations/migrate-prices.ts';
import { startMigration, workOnMigrations } from './migrate-prices.ts';
import { startService, type Service } from './service.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service[Symbol.asyncDispose]());

/** When a process stops: at which of its calls to the processor, before it is sent or after. */
interface Stop {
  readonly atCall: number;
  readonly isSent: boolean;
}

/**
 * A process that works on a migration until it is stopped, so that its leases end. It was killed if it does not go on; else the
 * returned function lets it go on, and resolves when it has ended.
 */
async function workUntilStopped({ atCall, isSent }: Stop): Promise<() => Promise<void>> {
  const stopped = Promise.withResolvers<void>();
  const continued = Promise.withResolvers<void>();
  let [calls, isOn] = [0, false];
  const dying = (processor: Processor): Processor =>
    callsAround(processor, async call => {
      calls += 1;
      if (calls < atCall || isOn) return call();
      const response = isSent ? call() : undefined;
      await Promise.allSettled([response]);
      stopped.resolve();
      await continued.promise;
      return response ?? call();
    });
  const processors: TeamProcessors = { of: async teamId => dying(await service.processors.of(teamId)) };
  const [work] = await leaseMigrations(service.em, 1);
  if (!work) return async () => undefined;
  const run = runMigration({ ...service, processors, requestsPerSecond: 10_000 });
  const running = run(work, new AbortController().signal);
  await Promise.race([stopped.promise, running]);
  await service.endLeases();
  return () => {
    isOn = true;
    continued.resolve();
    return running;
  };
}

const ACTIONS = ['cancel', 'resume', 'third later', 'third now', 'drop', 'end', 'deliver', 'reconcile'] as const;
type Action = (typeof ACTIONS)[number];

interface Step {
  readonly stop: Stop;
  readonly goesOn: boolean;
  readonly actions: readonly { readonly action: Action; /** Which subscription. */ readonly of: number }[];
}

/** A process is killed once it has created schedules, or has planned their changes, and their events arrive before another one goes on. */
const EXAMPLES: readonly Step[][] = [8, 18].map(atCall => [
  { stop: { atCall, isSent: false }, goesOn: false, actions: [] },
  { stop: { atCall: 1, isSent: false }, goesOn: false, actions: [{ action: 'deliver', of: 0 }] },
]);

it('schedules each change once, wherever it is killed or stalled and whatever else happens', async () => {
  const step = fc.record({
    stop: fc.record({ atCall: fc.integer({ min: 1, max: 20 }), isSent: fc.boolean() }),
    goesOn: fc.boolean(),
    actions: fc.array(fc.record({ action: fc.constantFrom(...ACTIONS), of: fc.nat(2) }), { maxLength: 2 }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array<Step>(step, { minLength: 1, maxLength: 3 }), async steps => {
      const migration = await startMigration(service);
      const { scope, subscribe, createPrice, deliver, create, get, findings, set, getSubscription, to } = migration;
      const third = await createPrice({ unitAmount: 2_500 });
      const subscribed = [await subscribe(), await subscribe(), await subscribe()];
      const touched = new Set<SubscriptionId>();
      const call = (method: 'PATCH' | 'POST' | 'DELETE', id: SubscriptionId, path = '', body?: object) => {
        touched.add(id);
        return service.call(method, `/subscriptions/${id}${path}`, { of: scope, ...(body && { body }) });
      };
      const act: Readonly<Record<Action, (id: SubscriptionId) => Promise<unknown>>> = {
        cancel: id => call('PATCH', id, '', { cancelAtPeriodEnd: true }),
        resume: id => call('PATCH', id, '', { cancelAtPeriodEnd: false }),
        'third later': id => call('POST', id, '/change', { priceId: third.id, when: 'period_end' }),
        'third now': id => call('POST', id, '/change', { priceId: third.id }),
        drop: id => call('DELETE', id, '/change'),
        end: id => call('DELETE', id),
        deliver,
        reconcile: () => service.runOperations(),
      };
      const { id } = (await create()).body.priceMigration;
      const makeDue = () =>
        set(id, `due_at = case when status in ('queued', 'running') then now() end, lease_id = null`);
      const stalled: (() => Promise<void>)[] = [];
      for (const { stop, goesOn, actions } of steps) {
        const others = actions.map(({ action, of }) => act[action](subscribed[of]?.id as SubscriptionId)); // there are three
        const [goOn] = await Promise.all([workUntilStopped(stop), ...others]);
        if (goesOn) stalled.push(goOn);
        await makeDue();
      }
      await service.endLeases();
      for (let status = 'running'; status === 'running' || status === 'queued'; { status } = await get(id)) {
        await Promise.all([workOnMigrations(service), ...stalled.splice(0).map(goOn => goOn())]);
        await service.runOperations();
        await makeDue();
      }
      await deliver();
      await service.runOperations();

      const all = await findings(id);
      const { status, counts } = await get(id);
      const countOf = (wanted: string) => all.filter(({ outcome }) => outcome === wanted).length;
      const found = { scheduled: countOf('scheduled'), skipped: countOf('skipped'), to_change: 0, failed: 0 };
      expect([status, counts]).toEqual(['completed', found]);
      const entries = (await service.published(AuditRecorded)).map(({ data }) => data);
      const changed = entries.filter(
        one => one.action === 'createPriceMigration' && one.target?.type === 'subscription',
      );
      for (const { subscriptionId, outcome, changeId } of all) {
        const own = changed.filter(({ target }) => target?.id === subscriptionId);
        expect([subscriptionId, own.length]).toEqual([subscriptionId, outcome === 'scheduled' ? 1 : 0]);
        if (touched.has(subscriptionId)) continue;
        expect(await getSubscription(subscriptionId)).toMatchObject({
          scheduledChange: { id: changeId, items: [{ priceId: to.id }] },
        });
      }
      for (const { processorId } of subscribed) {
        const { schedule } = await service.processor.findSubscription(processorId);
        expect(schedule?.phases.length ?? 2).toBe(2);
      }
      expect(await service.openOperations()).toEqual([]);
    }),
    { numRuns: runs(4) + EXAMPLES.length, examples: EXAMPLES.map(steps => [steps]) },
  );
});

it('moves a subscription whose period ends while its change is being scheduled at the next end', async () => {
  const { subscribe, create, get, findings, to, deliver, getSubscription } = await startMigration(service);
  const { testClocks } = service.account.dashboard.testHelpers;
  const at = (day: string) => Date.parse(`${day}T00:00:00Z`) / 1_000;
  const clock = await testClocks.create({ frozen_time: at('2026-04-01') });
  const subscribed = await subscribe({ clock: clock.id });
  const { id } = (await create()).body.priceMigration;
  let ending: Promise<unknown> | undefined;
  const processors: Service['processors'] = {
    of: async teamId => {
      const processor = await service.processors.of(teamId);
      return {
        ...processor,
        createSchedule: async (...args) => {
          await (ending ??= testClocks.advance(clock.id, { frozen_time: at('2026-05-02') }));
          return processor.createSchedule(...args);
        },
      };
    },
  };
  await workOnMigrations({ ...service, processors });
  expect(await get(id)).toMatchObject({
    status: 'completed',
    counts: { to_change: 0, scheduled: 1, skipped: 0, failed: 0 },
  });
  expect(await findings(id)).toMatchObject([{ effectiveAt: '2026-06-01T00:00:00.000Z' }]);
  await testClocks.advance(clock.id, { frozen_time: at('2026-06-02') });
  await deliver();
  expect(await getSubscription(subscribed.id)).toMatchObject({ priceId: to.id, scheduledChange: null });
});
