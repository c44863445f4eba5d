import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { AuditRecorded } from '@billing/contracts/events/audit';
import { runs } from '@billing/testing/runs';
import fc from 'fast-check';
import { startService, type Service } from './service.ts';
import { subscribeToSeats, type Seats } from './subscribe-to-seats.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service[Symbol.asyncDispose]());
beforeEach(() => service.control.clearFaults());

/** The cancellation of a subscription of 5 seats, and of its customer's balance. */
function ending(seats: Seats) {
  const { id, scope, payer } = seats;
  const path = `/subscriptions/${id}`;
  return {
    cancel: (body: object = {}) => service.call('DELETE', path, { of: scope, body }),
    previewCancel: (body: object = {}) => service.call('POST', `${path}/cancel/preview`, { of: scope, body }),
    balance: async () => {
      const found = await service.account.dashboard.customers.retrieve(payer.id);
      return found.deleted ? 0 : found.balance;
    },
    waiting: async () =>
      (await service.account.dashboard.invoiceItems.list({ customer: payer.id, pending: true })).data,
  };
}

const start = async (options?: Parameters<typeof subscribeToSeats>[1]) => {
  const seats = await subscribeToSeats(service, options);
  return { ...seats, ...ending(seats) };
};

/** Leaves an open invoice: a renewal that is declined. */
async function startUnpaid() {
  const started = await start();
  await started.decline();
  await started.advance('2026-05-01T02:00:00.000Z');
  await started.deliver();
  return started;
}

const statusesOf = async ({ invoicesAtProcessor }: Seats) => (await invoicesAtProcessor()).map(({ status }) => status);

describe('the unused part of the period', () => {
  it('goes to the balance, as previewed, with a final invoice', async () => {
    const { cancel, previewCancel, balance, get, deliver } = await start();
    const body = { prorate: true, invoiceNow: true };
    const { preview } = (await previewCancel(body)).body;
    expect(preview).toMatchObject({ currency: 'usd', credit: 3_523, amountDue: 0, exact: false });
    expect(preview.lines).toMatchObject([{ amount: -3_523, proration: true }]);
    expect((await cancel(body)).status).toBe(200);
    expect(await balance()).toBe(-3_523);
    await deliver();
    expect(await get()).toMatchObject({ status: 'canceled' });
  });

  it('waits for an invoice of the customer without one', async () => {
    const { cancel, previewCancel, balance, waiting } = await start();
    expect((await previewCancel({ prorate: true })).body.preview).toMatchObject({ credit: 3_523, amountDue: 0 });
    await cancel({ prorate: true });
    expect(await balance()).toBe(0);
    expect(await waiting()).toMatchObject([{ amount: -3_523 }]);
  });

  it('is lost unless it is to be credited', async () => {
    const { cancel, previewCancel, balance, waiting } = await start();
    const nothing = { currency: 'usd', credit: 0, amountDue: 0, lines: [], exact: false };
    expect((await previewCancel()).body.preview).toEqual(nothing);
    expect((await previewCancel({ invoiceNow: true })).body.preview).toEqual(nothing);
    await cancel();
    expect([await balance(), await waiting()]).toEqual([0, []]);
  });

  it('is previewed of no subscription that has ended', async () => {
    const { cancel, previewCancel } = await start();
    await cancel();
    const { status, body } = await previewCancel({ prorate: true });
    expect([status, body.error.code]).toEqual([404, 'subscription_not_found']);
  });

  it('comes to what its preview says, to the cent', async () => {
    const fee = fc.constantFrom(0, 30, 777, 9_000);
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 9_999 }),
        fc.integer({ min: 1, max: 30 }),
        fc.date({ min: new Date('2026-04-14'), max: new Date('2026-04-30'), noInvalidDate: true }),
        fee,
        fc.constantFrom(0, -1_234, 400),
        fc.boolean(),
        async (unitAmount, quantity, at, waits, given, prorate) => {
          const seats = await subscribeToSeats(service, { items: [{ unitAmount, quantity }] });
          const { cancel, previewCancel, balance } = ending(seats);
          const { dashboard } = service.account;
          const {
            payer: { id: customer },
            processorId,
            advance,
            invoicesAtProcessor,
          } = seats;
          await advance(at);
          if (waits > 0)
            await dashboard.invoiceItems.create({
              customer,
              subscription: processorId,
              amount: waits,
              currency: 'usd',
            });
          if (given !== 0)
            await dashboard.customers.createBalanceTransaction(customer, { amount: given, currency: 'usd' });
          const before = await balance();
          const known = (await invoicesAtProcessor()).length;
          const body = { prorate, invoiceNow: true };
          const { preview } = (await previewCancel(body)).body;
          await cancel(body);
          const made = (await invoicesAtProcessor()).slice(0, -known);
          expect(made.map(({ amount_due: due }) => due)).toEqual(preview.lines.length > 0 ? [preview.amountDue] : []);
          // What the customer owes from before is charged with it.
          const credited = preview.credit > 0 ? before - (await balance()) - preview.amountDue : 0;
          expect(credited).toBe(preview.credit);
          const lines = made.flatMap(one => one.lines.data.map(({ amount }) => amount));
          expect(preview.lines.map((one: { amount: number }) => one.amount)).toEqual(lines);
        },
      ),
      { numRuns: runs(40) },
    );
  });
});

describe('the open invoices of a subscription', () => {
  it('stay payable by themselves', async () => {
    const started = await startUnpaid();
    expect((await started.cancel()).body.invoices).toEqual([]);
    expect(await statusesOf(started)).toEqual(['open', 'paid']);
  });

  it('are voided, and told as what the request has caused', async () => {
    const started = await startUnpaid();
    const { cancel, invoices, publicEvents } = started;
    const [open] = await invoices('?status=open');
    const response = await cancel({ openInvoices: 'void' });
    expect(response.body.invoices).toEqual([{ id: open?.['id'], outcome: 'voided' }]);
    expect(await statusesOf(started)).toEqual(['void', 'paid']);
    expect(await invoices('?status=open')).toEqual([]);
    const events = (await publicEvents()).filter(({ type }) => /canceled|voided/.test(type));
    expect(events).toMatchObject([
      { type: 'subscription.canceled', cause: { type: 'api', requestId: 'req_test' } },
      { type: 'invoice.voided', cause: { type: 'api', requestId: 'req_test' } },
    ]);
  });

  it('are voided although they are drafts', async () => {
    const started = await start();
    const { dashboard } = service.account;
    await dashboard.subscriptions.update(started.processorId, { pause_collection: { behavior: 'keep_as_draft' } });
    await started.advance('2026-05-01T02:00:00.000Z');
    await started.deliver();
    expect(await statusesOf(started)).toEqual(['draft', 'paid']);
    expect((await started.cancel({ openInvoices: 'void' })).body.invoices).toMatchObject([{ outcome: 'voided' }]);
    expect(await statusesOf(started)).toEqual(['void', 'paid']);
  });

  it('are voided, but for the final one', async () => {
    const started = await startUnpaid();
    const { cancel, payer, processorId } = started;
    const fee = { customer: payer.id, subscription: processorId, amount: 900, currency: 'usd' };
    await service.account.dashboard.invoiceItems.create(fee);
    const { body } = await cancel({ invoiceNow: true, openInvoices: 'void' });
    expect(body.invoices).toHaveLength(1);
    expect(await statusesOf(started)).toEqual(['open', 'void', 'paid']);
  });

  it('are named in the entry of the request, which is one', async () => {
    const { cancel, id } = await startUnpaid();
    await cancel({ prorate: true, openInvoices: 'void' });
    const entries = (await service.published(AuditRecorded))
      .map(({ data }) => data)
      .filter(one => one.target?.id === id);
    expect(entries).toMatchObject([
      {
        action: 'cancelSubscription',
        changes: [
          { field: 'status', to: 'canceled' },
          { field: 'prorate', from: false, to: true },
          { field: 'openInvoices', from: 'keep', to: 'void' },
        ],
      },
    ]);
  });

  it.each([{ openInvoices: 'delete' }, { prorate: 'yes' }, { invoiceNow: 1 }])(
    'are not touched by an invalid body: %j',
    async body => {
      const started = await startUnpaid();
      expect((await started.cancel(body)).status).toBe(400);
      expect(await statusesOf(started)).toEqual(['open', 'paid']);
    },
  );
});
