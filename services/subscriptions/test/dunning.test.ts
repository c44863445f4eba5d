import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { AuditRecorded } from '@billing/contracts/events/audit';
import { processorEvent } from '@billing/contracts/processor-events';
import { routedEvent } from '@billing/testing/processor-events';
import { describeBilling } from '../src/record/describe-billing.ts';
import { after, anInvoice, invoiceObject } from './payloads.ts';
import { startService, type Service } from './service.ts';
import { startProject, type Project } from './start-project.ts';
import { subscribeToSeats } from './subscribe-to-seats.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service[Symbol.asyncDispose]());
beforeEach(() => service.control.clearFaults());

const FINALIZED = '2026-05-01T01:00:00.000Z';
const DECLINED = { code: 'card_declined', message: 'Your card was declined.' };

/** Adds what reads the cases of a project. */
function listOf<Started extends Pick<Project, 'scope'>>(project: Started) {
  const { scope } = project;
  const list = async (query = '') => (await service.call('GET', `/dunning${query}`, { of: scope })).body;
  const only = async () => {
    const [found, ...others] = (await list()).cases;
    if (!found || others.length > 0) throw new Error('There is more or less than one case.');
    return found;
  };
  const retry = async (headers: Record<string, string> = {}) => {
    const { invoiceId } = await only();
    return service.call('POST', `/invoices/${invoiceId}/retry`, { of: scope, headers });
  };
  return { ...project, list, only, retry };
}

/** A subscription to 60.00 a month whose renewal on 1 May was declined. */
async function startFailing() {
  const failing = listOf(await subscribeToSeats(service));
  await failing.decline();
  await failing.advance('2026-05-01T01:00:00Z');
  await failing.deliver();
  return failing;
}

const totals = (amounts: { recovering?: number; recovered?: number; lost?: number }) => ({
  usd: { recovering: 0, recovered: 0, lost: 0, ...amounts },
});

const codeOf = ({ status, body }: { status: number; body: { error?: { code: string } } }) =>
  `${status} ${body.error?.code ?? 'done'}`;

it('follows a failing payment through its retries until a new card pays it', async () => {
  const { id, customer, only, advance, deliver, payer, get } = await startFailing();
  const failing = {
    subscriptionId: id,
    customerId: customer.id,
    amountDue: 6_000,
    currency: 'usd',
    failedAt: FINALIZED,
    attempts: 1,
    nextRetryAt: '2026-05-04T01:00:00.000Z',
    lastFailure: DECLINED,
    status: 'recovering',
    endedAt: null,
    hostedInvoiceUrl: expect.any(String),
  };
  expect(await only()).toMatchObject(failing);
  await advance('2026-05-05T00:00:00Z');
  await deliver();
  expect(await only()).toMatchObject({ ...failing, attempts: 2, nextRetryAt: '2026-05-09T01:00:00.000Z' });
  expect(await get()).toMatchObject({ status: 'past_due' });
  const { customers, paymentMethods } = service.account.dashboard;
  const card = await paymentMethods.attach('pm_card_visa', { customer: payer.id });
  await customers.update(payer.id, { invoice_settings: { default_payment_method: card.id } });
  await advance('2026-05-10T00:00:00Z');
  await deliver();
  const recovered = { status: 'recovered', endedAt: '2026-05-09T01:00:00.000Z', attempts: 3, nextRetryAt: null };
  expect(await only()).toMatchObject({ ...failing, ...recovered });
  expect(await get()).toMatchObject({ status: 'active' });
});

it('is found for the customer to pay, whichever page of invoices is read', async () => {
  const { scope, customer, only, deliver, retry, decline } = await startFailing();
  const describe = async () =>
    (await describeBilling(service)(scope, customer.id, { limit: 1, offset: 1 })).subscriptions[0]?.openInvoiceUrl;
  expect(await describe()).toBe((await only()).hostedInvoiceUrl);
  await decline(false);
  await retry();
  await deliver();
  expect(await describe()).toBeNull();
});

it('collects an invoice by a retry, once for a key, and says it when the payment is declined', async () => {
  const { scope, only, retry, decline, get, deliver, invoicesAtProcessor } = await startFailing();
  const declined = await retry();
  expect(codeOf(declined)).toBe('422 payment_failed');
  expect(declined.body.error.details).toEqual({ reason: 'declined', declineCode: 'generic_decline' });
  expect(await only()).toMatchObject({ status: 'recovering', attempts: 1, lastFailure: DECLINED });
  await decline(false);
  const key = { 'idempotency-key': randomUUID() };
  const [paid, again] = [await retry(key), await retry(key)];
  expect(paid.body.invoice).toMatchObject({ status: 'paid', amountRemaining: 0 });
  expect(again.body).toEqual(paid.body);
  expect(codeOf(await retry())).toBe('422 invoice_not_open');
  expect(await only()).toMatchObject({ status: 'recovered' });
  await deliver();
  expect(await get()).toMatchObject({ status: 'active' });
  expect((await invoicesAtProcessor())[0]).toMatchObject({ status: 'paid', attempt_count: 1 });

  const entries = (await service.published(AuditRecorded)).map(({ data }) => data);
  const target = { type: 'invoice', id: paid.body.invoice.id };
  expect(entries.filter(({ projectId }) => projectId === scope.projectId)).toMatchObject([
    { action: 'retryInvoice', target, outcome: 'refused', changes: [] },
    { action: 'retryInvoice', target, outcome: 'succeeded', changes: [{ field: 'status', from: 'open', to: 'paid' }] },
  ]);
});

it('has no declined changes, whatever becomes of them', async () => {
  const { change, decline, pay, deliver, list, drop } = listOf(await subscribeToSeats(service));
  await decline();
  expect((await change({ quantity: 8 })).body.change).toMatchObject({ status: 'pending_payment' });
  await deliver();
  expect(await list()).toMatchObject({ cases: [], totals: {} });
  await decline(false);
  await pay();
  await deliver();
  expect(await list()).toMatchObject({ cases: [], totals: {} });
  await decline();
  expect((await change({ quantity: 9, paymentBehavior: 'error_if_incomplete' })).status).toBe(422);
  await change({ quantity: 9 });
  await drop();
  await deliver();
  expect(await list()).toMatchObject({ cases: [], totals: {} });
});

it('has changes that were made although they were not paid, as the team may at the processor', async () => {
  const { id, decline, deliver, only, advance, atProcessor } = listOf(await subscribeToSeats(service));
  await decline();
  const [item] = (await atProcessor()).items;
  await service.account.dashboard.subscriptions.update((await atProcessor()).id, {
    items: [{ id: item?.id ?? '', quantity: 9 }],
    proration_behavior: 'always_invoice',
    payment_behavior: 'allow_incomplete',
  });
  await deliver();
  expect(await only()).toMatchObject({ subscriptionId: id, status: 'recovering', amountDue: 2_818, attempts: 1 });
  await decline(false);
  await advance('2026-04-17T00:00:00Z');
  await deliver();
  expect(await only()).toMatchObject({ status: 'recovered', attempts: 2 });
});

it('knows a payment that failed without a charge, and why nothing can be collected', async () => {
  const { only, retry, deliver, advance, cardId } = listOf(await subscribeToSeats(service));
  await service.account.dashboard.paymentMethods.detach(cardId);
  await advance('2026-05-01T01:00:00Z');
  await deliver();
  const lastFailure = { code: 'payment_method_missing', message: 'The customer has no payment method.' };
  expect(await only()).toMatchObject({ status: 'recovering', lastFailure });
  const refused = await retry();
  expect(codeOf(refused)).toBe('422 payment_failed');
  expect(refused.body.error.details).toEqual({ reason: 'declined', declineCode: null });
});

it('says that the bank wants a renewal confirmed, after a decline, and once the customer has', async () => {
  const { only, advance, deliver, authenticate, decline, pay } = await startFailing();
  const UNCONFIRMED = {
    code: 'authentication_required',
    message: 'The bank wants the customer to confirm the payment.',
  };
  await authenticate();
  await advance('2026-05-05T00:00:00Z');
  await deliver();
  expect(await only()).toMatchObject({ status: 'recovering', attempts: 2, lastFailure: UNCONFIRMED });
  await decline();
  await advance('2026-05-10T00:00:00Z');
  await deliver();
  expect(await only()).toMatchObject({ status: 'recovering', attempts: 3, lastFailure: DECLINED });
  await authenticate();
  await advance('2026-05-17T00:00:00Z');
  await decline(false);
  await pay();
  await deliver();
  expect(await only()).toMatchObject({ lastFailure: UNCONFIRMED });
});

it.each([
  ['either event', [], true],
  ['the event of the failure alone', ['invoice.payment_action_required'], false],
  ['the event of the confirmation alone', ['invoice.payment_failed'], true],
] as const)('knows by %s that a renewal is to be confirmed', async (_case, missing, isKnownOncePaid) => {
  for (const isPaidBefore of [false, true]) {
    const { events, only, advance, authenticate, decline, pay } = listOf(await subscribeToSeats(service));
    await authenticate();
    await advance('2026-05-01T01:00:00Z');
    if (isPaidBefore) {
      await decline(false);
      await pay();
    }
    const withheld: ReadonlySet<string> = new Set(missing.map(type => processorEvent(type).name));
    for (const event of (await events()).toReversed()) if (!withheld.has(event.type)) await service.deliver(event);
    const code = isPaidBefore && !isKnownOncePaid ? null : 'authentication_required';
    expect(await only()).toMatchObject({ attempts: 1, lastFailure: { code } });
  }
});

it('is lost when it is given up or its subscription ends unpaid, and recovered when it is paid all the same', async () => {
  const { id, scope, list, only, advance, deliver, decline, retry, invoicesAtProcessor } = await startFailing();
  const { invoiceId, hostedInvoiceUrl } = await only();
  await service.call('POST', `/invoices/${invoiceId}/mark-uncollectible`, { of: scope });
  const givenUp = { status: 'lost', endedAt: '2026-05-01T01:00:00.000Z', nextRetryAt: null };
  expect(await only()).toMatchObject(givenUp);
  expect(codeOf(await retry())).toBe('422 invoice_not_open');
  await advance('2026-06-01T01:00:00Z');
  await deliver();
  await service.call('DELETE', `/subscriptions/${id}`, { of: scope });
  const [second, first] = (await list()).cases;
  expect(first).toMatchObject({ invoiceId, ...givenUp });
  expect(second).toMatchObject({ status: 'lost', endedAt: '2026-06-01T01:00:00.000Z', nextRetryAt: null });

  await decline(false);
  const atProcessor = await invoicesAtProcessor();
  const given = atProcessor.find(({ hosted_invoice_url: url }) => url === hostedInvoiceUrl)?.id ?? '';
  await service.account.dashboard.invoices.pay(given);
  await deliver();
  expect((await list('?status=recovered')).cases).toMatchObject([{ invoiceId, endedAt: '2026-06-01T01:00:00.000Z' }]);
});

it('lists what fails on a test clock, and leaves it out of the totals', async () => {
  const { list } = await startFailing();
  const { cases, totals: summedUp, pagination } = await list();
  expect(cases).toMatchObject([{ status: 'recovering', amountDue: 6_000 }]);
  expect(pagination.total).toBe(1);
  expect(summedUp).toEqual({});
});

it('counts of what is paid in part only what is left', async () => {
  const { customer, base, event, scope, list } = listOf(await startProject(service));
  await service.deliver(event('customer.subscription.created', after(0)));
  const failed = (status: string, amountPaid: number) => {
    const of = { customer: customer.processorCustomerId, subscription: base.id };
    const invoice = anInvoice({ id: `in_${scope.projectId}_${status}`, ...of, amountPaid, status });
    const finalized = Math.floor(after(0).getTime() / 1_000);
    const times = { finalized_at: finalized, paid_at: status === 'paid' ? finalized : null };
    return routedEvent(scope, 'invoice.payment_failed', { ...invoiceObject(invoice), status_transitions: times });
  };
  await service.deliver(failed('open', 999), failed('void', 0), failed('paid', 2_999));
  expect((await list('?status=recovering')).cases).toMatchObject([{ amountDue: 2_000 }]);
  expect((await list('?status=recovered')).cases).toMatchObject([{ amountDue: 2_999 }]);
  expect((await list()).totals).toEqual(totals({ recovering: 2_000, lost: 2_999, recovered: 2_999 }));
});

it('lists a status since a time, in pages, only in its project', async () => {
  const { scope, customer, base, event, list } = listOf(await startProject(service));
  await service.deliver(event('customer.subscription.created', after(0)));
  const failed = Array.from({ length: 7 }, (_, index) => {
    const second = Math.floor(index / 2);
    const status = index % 3 === 0 ? 'paid' : 'open';
    const invoice = anInvoice({
      id: `in_${index}`,
      customer: customer.processorCustomerId,
      subscription: base.id,
      status,
    });
    const finalized = Math.floor(after(second).getTime() / 1_000);
    const paid = status === 'paid' ? finalized : null;
    const object = { ...invoiceObject(invoice), status_transitions: { finalized_at: finalized, paid_at: paid } };
    return { second, status, event: routedEvent(scope, 'invoice.payment_failed', object) };
  });
  await service.deliver(...failed.map(one => one.event));
  const pages = async (query: string) => {
    const found: Record<string, unknown>[] = [];
    for (let cursor = ''; ;) {
      const { cases, pagination } = await list(`?limit=2&${query}${cursor}`);
      found.push(...cases);
      expect(pagination.total).toBeGreaterThanOrEqual(found.length);
      if (!pagination.hasMore) return { found, total: pagination.total };
      cursor = `&cursor=${pagination.nextCursor}`;
    }
  };
  for (const status of ['paid', 'open'])
    for (const since of [0, 2, 9]) {
      const wanted = failed.filter(one => one.status === status && one.second >= since);
      const shown = status === 'paid' ? 'recovered' : 'recovering';
      const query = `status=${shown}&since=${after(since).toISOString()}`;
      const { found, total } = await pages(query);
      expect(found.map(({ failedAt }) => failedAt)).toEqual(
        wanted.map(({ second }) => after(second).toISOString()).toReversed(),
      );
      expect(new Set(found.map(({ invoiceId }) => invoiceId)).size).toBe(wanted.length);
      expect(total).toBe(wanted.length);
      const sums = wanted.length > 0 ? totals({ [shown]: wanted.length * 2_999 }) : {};
      expect((await list(`?${query}`)).totals).toEqual(sums);
    }
  expect((await pages('')).found).toHaveLength(7);
  const other = listOf(await startProject(service));
  expect(await other.list()).toMatchObject({ cases: [], totals: {}, pagination: { total: 0 } });
  const { nextCursor } = (await list('?limit=2')).pagination;
  const foreign = await service.call('GET', `/dunning?cursor=${nextCursor}`, { of: other.scope });
  expect(foreign.status).toBe(400);
});
