import { CustomerId, TestClockId } from '@billing/contracts/ids';
import { saveCustomerCopies } from '../src/copies/save-copies.ts';
import { findOnTestClocks } from '../src/copies/test-clocks.ts';
import { getPaymentTotals } from '../src/money/payment-totals.ts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { routedEvent } from '@billing/testing/processor-events';
import { anInvoice, invoiceObject } from './payloads.ts';
import { startService, type Service } from './service.ts';
import { startPayment } from './start-payment.ts';

const DAY_MS = 86_400_000;
const NOW = new Date('2026-11-20T12:00:00.000Z');
const daysAgo = (days: number) => new Date(NOW.getTime() - days * DAY_MS);
const seconds = (time: Date) => Math.floor(time.getTime() / 1_000);

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service[Symbol.asyncDispose]());

type Project = Awaited<ReturnType<typeof startPayment>>;

/** Delivers a charge of this long ago, with changed fields. */
async function charge({ event }: Project, days: number, changes: Record<string, unknown> = {}, type = 'succeeded') {
  const [at, id] = [daysAgo(days), crypto.randomUUID()];
  const fields = { id: `ch_${id}`, payment_intent: `pi_${id}`, created: seconds(at), ...changes };
  await service.deliver(event(`charge.${type}` as 'charge.succeeded', at, fields));
}

async function invoice({ scope, customer }: Project, changes: Record<string, unknown>) {
  const base = anInvoice({ id: `in_${crypto.randomUUID()}`, customer: customer.processorCustomerId });
  const object = { ...invoiceObject({ ...base, subscription: null }), ...changes };
  await service.deliver(routedEvent(scope, 'invoice.updated', object, { createdAt: daysAgo(1) }));
}

const totalsOf = ({ scope }: Project, days = 30) =>
  getPaymentTotals({ em: service.em, now: () => NOW })(scope, { growthDays: days });

it('adds up exactly what payments of the window took, less refunds, in each currency, and lists exactly these', async () => {
  const [project, other] = [await startPayment(service), await startPayment(service)];
  const large = { amount: 900_000_000_001, amount_captured: 900_000_000_001 };
  for (const [days, changes] of [
    [1, large],
    [2, large],
    [29, { amount_refunded: 999 }],
    [29, { currency: 'eur' }],
    [31, {}],
  ] as const)
    await charge(project, days, changes);
  await charge(project, 1, {}, 'failed');
  await charge(other, 1);
  const euros = { currency: 'eur', amount: 2_999, count: 1 };
  expect(await totalsOf(project)).toEqual({
    collected: [euros, { currency: 'usd', amount: 1_800_000_002_002, count: 3 }],
    pastDue: [],
  });
  expect((await totalsOf(project, 1)).collected).toEqual([{ currency: 'usd', amount: large.amount, count: 1 }]);
  expect((await totalsOf(project, 60)).collected[1]).toMatchObject({ count: 4 });
  const listed = async (query: string) =>
    (await service.call('GET', `/payments?${query}`, { of: project.scope })).body.pagination.total;
  expect(await listed('collected=true')).toBe(5);
  expect(await listed(`collected=true&createdAfter=${daysAgo(30).toISOString()}`)).toBe(4);
  expect(await listed('collected=true&status=failed')).toBe(0);
  expect(await listed('collected=true&status=succeeded')).toBe(4);
  expect(await listed('collected=false')).toBe(6);
});

it('adds up what remains of open invoices that were tried, or whose due date is past, and lists exactly these', async () => {
  const [project, other] = [await startPayment(service), await startPayment(service)];
  await invoice(project, { attempted: true, amount_remaining: 1_000, number: 'tried' });
  await invoice(project, { due_date: seconds(daysAgo(-400)), number: 'due later' });
  await invoice(project, { due_date: seconds(daysAgo(2)), number: 'late' });
  await invoice(project, { attempted: true, status: 'paid', number: 'paid' });
  await invoice(project, { attempted: true, status: 'uncollectible', number: 'given up' });
  await invoice(project, { attempted: true, currency: 'jpy', number: 'yen' });
  await invoice(project, { number: 'not tried' });
  await invoice(other, { attempted: true });
  expect((await totalsOf(project)).pastDue).toEqual([
    { currency: 'jpy', amount: 2_999, count: 1 },
    { currency: 'usd', amount: 3_999, count: 2 },
  ]);
  const numbers = async (query: string) =>
    (await project.invoices(query)).map(({ number }) => String(number)).toSorted((a, b) => a.localeCompare(b));
  expect(await numbers('?pastDue=true')).toEqual(['late', 'tried', 'yen']);
  expect(await numbers('?pastDue=true&limit=100&status=paid')).toEqual([]);
  expect(await numbers('?pastDue=false')).toHaveLength(7);
});

it('goes by the time of no test clock that is gone', async () => {
  const { scope, customer } = await startPayment(service);
  const [one, other] = [CustomerId.create(), CustomerId.create()];
  const testClock = { id: TestClockId.create(), now: NOW };
  const copy = { ...customer, version: 2, testClock };
  await saveCustomerCopies(service.em.fork(), [
    { teamId: scope.teamId, state: { ...copy, id: one, processorCustomerId: 'cus_one' } },
    { teamId: scope.teamId, state: { ...copy, id: other, processorCustomerId: 'cus_other', deletedAt: NOW } },
  ]);
  expect((await findOnTestClocks(service.em.fork(), scope)).map(({ id }) => id)).toEqual([one]);
});

it('answers an empty project with no sums', async () => {
  const { scope } = await startPayment(service);
  const { status, body } = await service.call('GET', '/payments/totals?growthDays=7', { of: scope });
  expect([status, body]).toEqual([200, { collected: [], pastDue: [] }]);
  expect((await service.call('GET', '/payments/totals?growthDays=0', { of: scope })).status).toBe(400);
});
