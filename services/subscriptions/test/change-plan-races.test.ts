import { randomUUID } from 'node:crypto';
import { runs } from '@billing/testing/runs';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startService, type Service } from './service.ts';
import { expectEqual, subscribeToSeats, type Seats } from './subscribe-to-seats.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service[Symbol.asyncDispose]());
beforeEach(() => service.control.clearFaults());

/** Ends the faults, and lets the reconciler finish what was left behind. */
async function reconcile(): Promise<void> {
  await service.control.clearFaults();
  await service.runOperations();
  expect(await service.openOperations()).toEqual([]);
}

/** Checks that each change was charged once: an invoice for each that applied or waits, and one subscription. */
async function expectCharged(subscribed: Seats, invoices: readonly unknown[]): Promise<void> {
  expect((await subscribed.invoicesOfChanges()).map(({ status }) => status)).toEqual(invoices);
  expect(await subscribed.subscriptions()).toHaveLength(1);
  expect(await service.processor.listSubscriptions(subscribed.payer.id)).toHaveLength(1);
}

describe('a change whose response is lost', () => {
  it.each([
    ['done-but-response-lost', 'open'],
    ['done-but-response-broken', 'paid'],
    ['500', 'paid'],
  ] as const)('is found again after %s, and made once: %s', async (mode, invoice) => {
    const subscribed = await subscribeToSeats(service);
    await subscribed.decline(invoice === 'open');
    const headers = { 'idempotency-key': randomUUID() };
    await service.control.fail({ method: 'POST', path: '/v1/subscriptions', mode, times: 99 });
    const first = await subscribed.change({ quantity: 8 }, headers);
    await service.control.clearFaults();
    const again = await subscribed.change({ quantity: 8 }, headers);
    expect([200, 202, 502, 503]).toContain(first.status);
    expect(again.status).toBe(invoice === 'paid' ? 200 : 202);
    expect(again.body.subscription.quantity).toBe(invoice === 'paid' ? 8 : 5);
    await reconcile();
    await expectCharged(subscribed, [invoice]);
    await expectEqual(subscribed);
    expect((await subscribed.change({ quantity: 8 }, headers)).body).toEqual(again.body);
    await expectCharged(subscribed, [invoice]);
  });

  it('is found by its items and its invoice where the metadata are full', async () => {
    const metadata = Object.fromEntries(Array.from({ length: 47 }, (_, index) => [`key${index}`, 'own']));
    const subscribed = await subscribeToSeats(service);
    await service.account.dashboard.subscriptions.update(subscribed.processorId, { metadata });
    for (const [quantity, declines] of [
      [8, true],
      [9, false],
    ] as const) {
      await subscribed.decline(declines);
      await service.control.fail({
        method: 'POST',
        path: '/v1/subscriptions',
        mode: '500-but-done',
        times: 1,
        kept: true,
      });
      const { status, body } = await subscribed.change({ quantity });
      expect([status, body.change.status]).toEqual(declines ? [202, 'pending_payment'] : [200, 'applied']);
      expect((await subscribed.atProcessor()).metadata).not.toHaveProperty('changeId');
      await expectEqual(subscribed);
    }
    await expectCharged(subscribed, ['paid', 'void']);
  });

  it('is finished by the reconciler when it could not be saved', async () => {
    const subscribed = await subscribeToSeats(service);
    await service.em.fork().execute(`
      create function refuse() returns trigger language plpgsql as $$ begin raise exception 'refused'; end $$`);
    await service.em.fork().execute(`
      create trigger refuse before update of operation_key on subscriptions for each row execute function refuse()`);
    expect((await subscribed.change({ quantity: 8 })).status).toBe(500);
    await service.em.fork().execute('drop function refuse() cascade');
    await reconcile();
    expect(await subscribed.get()).toMatchObject({ quantity: 8 });
    await expectCharged(subscribed, ['paid']);
    await expectEqual(subscribed);
  });

  it('is dropped once when the response of that is lost', async () => {
    const subscribed = await subscribeToSeats(service);
    await subscribed.decline();
    await subscribed.change({ quantity: 8 });
    await service.control.fail({ method: 'POST', path: '/v1/invoices', mode: '500-but-done' });
    expect((await subscribed.drop()).status).toBe(200);
    expect(await subscribed.get()).toMatchObject({ pendingChange: null });
    await expectCharged(subscribed, ['void']);
    await expectEqual(subscribed);
  });
});

describe('changes at the same time', () => {
  it('are made one after the other, and once when all 20 are the same', async () => {
    const [same, different] = [await subscribeToSeats(service), await subscribeToSeats(service)];
    const headers = { 'idempotency-key': randomUUID() };
    const [responses, others] = await Promise.all([
      Promise.all(Array.from({ length: 20 }, (_, index) => same.change({ quantity: 8 }, index % 2 ? headers : {}))),
      Promise.all(Array.from({ length: 10 }, (_, index) => different.change({ quantity: 10 + index }))),
    ]);
    const outcomesOf = (all: typeof responses) => all.map(({ status, body }) => body.error?.code ?? status);
    for (const outcome of [...outcomesOf(responses), ...outcomesOf(others)])
      expect([200, 'no_change', 'conflict', 'idempotency_key_in_use']).toContain(outcome);
    expect(await same.get()).toMatchObject({ quantity: 8 });
    await expectCharged(same, ['paid']);
    const made = outcomesOf(others).filter(outcome => outcome === 200);
    expect(made.length).toBeGreaterThan(0);
    await expectCharged(
      different,
      made.map(() => 'paid'),
    );
    await expectEqual(same);
    await expectEqual(different);
  }, 60_000);

  it('end in one state, as the processor has it, with whatever else happens', async () => {
    const act = {
      change: (seats: Seats, at: number) => seats.change({ quantity: 6 + at }),
      strictChange: (seats: Seats, at: number) =>
        seats.change({ quantity: 6 + at, paymentBehavior: 'error_if_incomplete' }),
      drop: (seats: Seats) => seats.drop(),
      cancelAtEnd: (seats: Seats, at: number) =>
        service.call('PATCH', `/subscriptions/${seats.id}`, {
          of: seats.scope,
          body: { cancelAtPeriodEnd: at % 2 === 0 },
        }),
      cancel: (seats: Seats) => service.call('DELETE', `/subscriptions/${seats.id}`, { of: seats.scope }),
      deliver: (seats: Seats) => seats.deliver(),
      decline: (seats: Seats, at: number) => seats.decline(at % 2 === 0),
      pay: (seats: Seats) => seats.pay().catch(() => undefined),
      renew: (seats: Seats) => seats.advance('2026-05-01T02:00:00Z').catch(() => undefined),
      lose: () => service.control.fail({ method: 'POST', path: '/v1/', mode: 'done-but-response-lost', times: 2 }),
      break: () => service.control.fail({ method: 'POST', path: '/v1/', mode: '500-but-done', times: 1, kept: true }),
    } as const;
    const names = Object.keys(act) as (keyof typeof act)[]; // an object's keys are typed as string
    const together = fc.array(fc.constantFrom(...names, 'change' as const, 'change' as const), {
      minLength: 1,
      maxLength: 4,
    });
    await fc.assert(
      fc.asyncProperty(fc.array(together, { minLength: 1, maxLength: 4 }), async rounds => {
        const subscribed = await subscribeToSeats(service);
        const statuses: number[] = [];
        for (const [round, actions] of rounds.entries()) {
          const done = await Promise.all(actions.map((name, at) => act[name](subscribed, round * 4 + at)));
          statuses.push(
            ...done.flatMap(one => (one && 'status' in one && typeof one.status === 'number' ? one.status : [])),
          );
        }
        expect(statuses.filter(status => status === 500)).toEqual([]);
        await reconcile();
        await subscribed.deliver();
        await expectEqual(subscribed);
        await expectPaidOnce(subscribed);
      }),
      { numRuns: runs(6) },
    );
  }, 120_000);
});

/** Checks that no change was charged twice, and that no open invoice is left but of one that waits. */
async function expectPaidOnce(subscribed: Seats): Promise<void> {
  expect(await subscribed.subscriptions()).toHaveLength(1);
  const invoices = await subscribed.invoicesOfChanges();
  const { pendingUpdate } = await subscribed.atProcessor();
  expect(invoices.filter(({ status }) => status === 'open')).toHaveLength(pendingUpdate ? 1 : 0);
  // Each change was to another number of seats, which its invoice debits last.
  const bought = invoices.filter(({ status }) => status === 'paid').map(({ lines }) => lines.data.at(-1)?.quantity);
  expect(new Set(bought).size).toBe(bought.length);
}
