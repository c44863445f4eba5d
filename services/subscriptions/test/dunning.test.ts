import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { AuditRecorded } from '@billing/contracts/events/audit';
import { ProjectId } from '@billing/contracts/ids';
import { startService, type Service } from './service.ts';
import { subscribeToSeats } from './subscribe-to-seats.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service[Symbol.asyncDispose]());
beforeEach(() => service.control.clearFaults());

const RENEWAL = '2026-05-01T00:00:00.000Z';
const DECLINED = { code: 'card_declined', message: 'Your card was declined.' };

/** A subscription to 60.00 a month whose renewal on 1 May was declined. */
async function startFailing({ isTold = true } = {}) {
  const seats = await subscribeToSeats(service);
  const { scope, advance, deliver, decline } = seats;
  await decline();
  await advance('2026-05-01T01:00:00Z');
  if (isTold) await deliver();
  const list = async (query = '', of = scope) => (await service.call('GET', `/dunning${query}`, { of })).body;
  const only = async () => {
    const [found, ...others] = (await list()).cases;
    if (!found || others.length > 0) throw new Error('There is more or less than one case.');
    return found;
  };
  const retry = async (headers: Record<string, string> = {}, of = scope) => {
    const { invoiceId } = await only();
    return service.call('POST', `/invoices/${invoiceId}/retry`, { of, headers });
  };
  return { ...seats, list, only, retry };
}

const totals = (amounts: { recovering?: number; recovered?: number; lost?: number }) => ({
  usd: { recovering: 0, recovered: 0, lost: 0, ...amounts },
});

const codeOf = ({ status, body }: { status: number; body: { error?: { code: string } } }) =>
  `${status} ${body.error?.code ?? 'done'}`;

it('follows a failing payment through its retries until it is paid', async () => {
  const { id, customer, list, only, advance, deliver, decline } = await startFailing();
  const failing = {
    subscriptionId: id,
    customerId: customer.id,
    amountDue: 6_000,
    currency: 'usd',
    failedAt: RENEWAL,
    attempts: 1,
    nextRetryAt: '2026-05-04T00:00:00.000Z',
    lastFailure: DECLINED,
    status: 'recovering',
    endedAt: null,
    hostedInvoiceUrl: expect.any(String),
  };
  expect(await only()).toMatchObject(failing);
  await advance('2026-05-05T00:00:00Z');
  await deliver();
  expect(await only()).toMatchObject({ ...failing, attempts: 2, nextRetryAt: '2026-05-09T00:00:00.000Z' });
  expect((await list()).totals).toEqual(totals({ recovering: 6_000 }));
  await decline(false);
  await advance('2026-05-10T00:00:00Z');
  await deliver();
  const recovered = { status: 'recovered', endedAt: '2026-05-09T00:00:00.000Z', attempts: 3, nextRetryAt: null };
  expect(await only()).toMatchObject({ ...failing, ...recovered });
  expect((await list()).totals).toEqual(totals({ recovered: 6_000 }));
});

it('collects an invoice by a retry, once for a key, and says it when the payment is declined', async () => {
  const { scope, only, retry, decline, get, deliver, invoicesAtProcessor } = await startFailing();
  const declined = await retry();
  expect(codeOf(declined)).toBe('422 payment_failed');
  expect(declined.body.error.details).toEqual({ reason: 'declined', declineCode: 'generic_decline' });
  expect(await only()).toMatchObject({ status: 'recovering', attempts: 2, lastFailure: DECLINED });
  await decline(false);
  const key = { 'idempotency-key': randomUUID() };
  const [paid, again] = [await retry(key), await retry(key)];
  expect(paid.body.invoice).toMatchObject({ status: 'paid', amountRemaining: 0 });
  expect(again.body).toEqual(paid.body);
  expect(codeOf(await retry())).toBe('422 invoice_not_open');
  expect(await only()).toMatchObject({ status: 'recovered' });
  await deliver();
  expect(await get()).toMatchObject({ status: 'active' });
  expect((await invoicesAtProcessor())[0]).toMatchObject({ status: 'paid', attempt_count: 3 });

  const entries = (await service.published(AuditRecorded)).map(({ data }) => data);
  expect(entries.filter(({ projectId }) => projectId === scope.projectId)).toMatchObject([
    { action: 'retryInvoice', changes: [{ field: 'status', from: 'open', to: 'paid' }] },
  ]);
  const other = { ...scope, projectId: ProjectId.create() };
  expect(codeOf(await retry({}, other))).toBe('404 invoice_not_found');
});
