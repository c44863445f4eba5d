import { randomUUID } from 'node:crypto';
import { runs } from '@billing/testing/runs';
import { planChange } from '@billing/contracts/resources/plan-change';
import { withPriceIds } from '@billing/contracts/resources/price-reference';
import { SubscriptionId } from '@billing/contracts/ids';
import { testAuditContext } from '@billing/service/testing/audit-context';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { changePlan } from '../src/plan-changes/change-plan.ts';
import { ALL_ENDS, dependenciesWith, interrupted, repeated } from './interrupted-calls.ts';
import { startService, type Service } from './service.ts';
import { expectEqual, subscribeToSeats } from './subscribe-to-seats.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service[Symbol.asyncDispose]());
beforeEach(() => service.control.clearFaults());

const RESTART = { billingCycle: 'restart' } as const;
/** 6000 for a new period, less 3523 for the rest of the one that began on 1 April. */
const DUE = 2_477;
const END = '2026-05-13T09:17:31.000Z';

describe('a period that begins anew', () => {
  it('is charged as a whole less the unused part of the last one, as previewed', async () => {
    const seats = await subscribeToSeats(service);
    const { preview, change, invoicesOfChanges } = seats;
    const previewed = (await preview(RESTART)).body.preview;
    expect(previewed).toMatchObject({
      direction: 'same',
      amountDue: DUE,
      exact: false,
      prorationDate: null,
      nextInvoice: { at: END, total: 6_000 },
    });
    expect(previewed.lines.map((line: { amount: number }) => line.amount)).toEqual([-3_523, 6_000]);
    const { body } = await change({ ...RESTART, expectedAmountDue: DUE });
    expect(body.change).toMatchObject({ status: 'applied', items: [{ quantity: 5 }] });
    expect(body.invoice).toMatchObject({ status: 'paid', amountPaid: DUE });
    expect(body.subscription).toMatchObject({ quantity: 5, currentPeriodEnd: END });
    expect(await invoicesOfChanges()).toHaveLength(1);
    await expectEqual(seats);
  });

  it('may have another plan', async () => {
    const seats = await subscribeToSeats(service);
    const { body } = await seats.change({ ...RESTART, quantity: 8 });
    expect(body.invoice).toMatchObject({ amountPaid: 8 * 1_200 - 3_523 });
    expect(body.subscription).toMatchObject({ quantity: 8, currentPeriodEnd: END });
    await expectEqual(seats);
  });

  it('takes the change along that is scheduled for its end', async () => {
    const seats = await subscribeToSeats(service);
    const { id: priceId } = await seats.createPrice({ unitAmount: 900 });
    expect((await seats.change({ priceId, when: 'period_end' })).body.change.status).toBe('scheduled');
    const { body } = await seats.change(RESTART);
    expect(body.subscription).toMatchObject({
      currentPeriodEnd: END,
      scheduledChange: { items: [{ priceId, quantity: 5 }], effectiveAt: END },
    });
    await expectEqual(seats);
  });

  it('waits for its payment', async () => {
    const seats = await subscribeToSeats(service);
    await seats.decline();
    const { status, body } = await seats.change(RESTART);
    expect([status, body.change.status]).toEqual([202, 'pending_payment']);
    expect(body.subscription).toMatchObject({ currentPeriodEnd: '2026-05-01T00:00:00.000Z' });
    await seats.decline(false);
    await seats.pay();
    await seats.deliver();
    expect(await seats.get()).toMatchObject({ pendingChange: null, currentPeriodEnd: END });
  });

  it('is not begun for less than it costs', async () => {
    const { change, get, invoicesOfChanges } = await subscribeToSeats(service);
    const { status, body } = await change({ ...RESTART, expectedAmountDue: 1_000 });
    expect([status, body.error.code]).toEqual([409, 'amount_changed']);
    expect(await get()).toMatchObject({ currentPeriodEnd: '2026-05-01T00:00:00.000Z' });
    expect(await invoicesOfChanges()).toEqual([]);
  });

  it.each([{ ...RESTART, when: 'period_end' }, { billingCycle: 'later' }])(
    'is refused with an invalid body: %j',
    async body => {
      const { change, preview } = await subscribeToSeats(service);
      for (const response of [await change(body), await preview(body)])
        expect([response.status, response.body.error.code]).toEqual([400, 'validation_error']);
    },
  );

  it('is refused beside a pause of payments', async () => {
    const { change, processorId } = await subscribeToSeats(service);
    await service.account.dashboard.subscriptions.update(processorId, { pause_collection: { behavior: 'void' } });
    expect((await change(RESTART)).body.error.code).toBe('subscription_paused');
  });

  it('comes to what its preview says, to the cent', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 100, max: 9_999 }),
        fc.integer({ min: 1, max: 30 }),
        fc.date({ min: new Date('2026-04-14'), max: new Date('2026-04-30'), noInvalidDate: true }),
        async (unitAmount, quantity, at) => {
          const { advance, preview, change } = await subscribeToSeats(service, { items: [{ unitAmount, quantity }] });
          await advance(at);
          const { amountDue, total } = (await preview(RESTART)).body.preview;
          const { invoice } = (await change({ ...RESTART, expectedAmountDue: amountDue })).body;
          expect(invoice).toMatchObject({ status: 'paid', amountDue, total });
        },
      ),
      { numRuns: runs(40) },
    );
  });
});

it.each(ALL_ENDS)('begins once when the processor’s changeSubscription %s', async end => {
  const { id, scope, invoicesOfChanges, get, deliver } = await subscribeToSeats(service);
  const operationKey = randomUUID();
  const wanted = withPriceIds(planChange).parse(RESTART);
  const send = (processor: Service['processor']) =>
    changePlan(dependenciesWith(service, processor))(
      scope,
      { id: SubscriptionId.schema.parse(id) },
      wanted,
      testAuditContext(),
      operationKey,
    );
  await send(interrupted(service.processor, 'changeSubscription', end)).catch(() => undefined);
  const { change, invoice } = await repeated(service, () => send(service.processor));
  expect([change.status, invoice?.amountPaid]).toEqual(['applied', DUE]);
  await deliver();
  expect(await get()).toMatchObject({ currentPeriodEnd: END });
  expect(await invoicesOfChanges()).toHaveLength(1);
  expect(await service.openOperations()).toEqual([]);
});
