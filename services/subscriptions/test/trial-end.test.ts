import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { AuditRecorded } from '@billing/contracts/events/audit';
import { SubscriptionId } from '@billing/contracts/ids';
import type { Processor } from '@billing/processor/port';
import { testAuditContext } from '@billing/service/testing/audit-context';
import { setTrialEnd } from '../src/plan-changes/set-trial-end.ts';
import { ALL_ENDS, dependenciesWith, interrupted, repeated } from './interrupted-calls.ts';
import { startService, type Service } from './service.ts';
import { subscribeToSeats } from './subscribe-to-seats.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service[Symbol.asyncDispose]());
beforeEach(() => service.control.clearFaults());

const JUNE = '2026-06-01T00:00:00.000Z';
const DAY_MS = 86_400_000;
const ahead = (days: number) => new Date(Date.parse('2026-04-13T09:17:31.000Z') + days * DAY_MS).toISOString();

/** 5 seats of 12.00 a month on 13 April, in a trial until 1 May unless it has none. */
async function start(more: object = { trial_period_days: 30 }) {
  const seats = await subscribeToSeats(service, { more });
  const { id, scope } = seats;
  return {
    ...seats,
    patch: (body: object) => service.call('PATCH', `/subscriptions/${id}`, { of: scope, body }),
    end: () => service.call('DELETE', `/subscriptions/${id}`, { of: scope }),
    statuses: async () => (await seats.invoicesAtProcessor()).map(invoice => [invoice.status, invoice.total]),
  };
}

type Response = Awaited<ReturnType<Awaited<ReturnType<typeof start>>['patch']>>;
const codeOf = ({ status, body }: Response) => [status, body.error?.code];

describe('the end of a trial', () => {
  it.each([JUNE, '2026-04-20T00:00:00.000Z'])('moves to %s, and nothing is charged before', async trialEnd => {
    const { patch, get, updates, advance, deliver, statuses } = await start();
    const before = (await updates()).length;
    const { body } = await patch({ trialEnd });
    expect(body.subscription).toMatchObject({ status: 'trialing', trialEnd, currentPeriodEnd: trialEnd });
    await deliver();
    expect(await get()).toMatchObject({ status: 'trialing', trialEnd });
    expect((await updates()).slice(before)).toMatchObject([
      { type: 'subscription.updated', cause: { type: 'api', requestId: 'req_test' }, data: { trialEnd } },
    ]);
    expect(await statuses()).toEqual([['paid', 0]]);
    await advance(new Date(Date.parse(trialEnd) + 7_200_000));
    await deliver();
    expect(await get()).toMatchObject({ status: 'active' });
    expect(await statuses()).toEqual([
      ['paid', 6_000],
      ['paid', 0],
    ]);
  });

  it('begins a trial of a subscription without one', async () => {
    const { patch, statuses } = await start({});
    expect((await patch({ trialEnd: JUNE })).body.subscription).toMatchObject({ status: 'trialing', trialEnd: JUNE });
    expect(await statuses()).toEqual([['paid', 6_000]]);
  });

  it('may be set again, which changes nothing', async () => {
    const { patch, updates } = await start();
    await patch({ trialEnd: JUNE });
    const before = (await updates()).length;
    expect((await patch({ trialEnd: JUNE })).status).toBe(200);
    expect(await updates()).toHaveLength(before);
  });

  it('is now, charged as previewed', async () => {
    const { patch, preview, get, deliver, statuses } = await start();
    const { amountDue } = (await preview({ trial: 'end' })).body.preview;
    expect(amountDue).toBe(6_000);
    const { body } = await patch({ trialEnd: null, expectedAmountDue: amountDue });
    expect(body.subscription).toMatchObject({ status: 'active', currentPeriodEnd: '2026-05-13T09:17:31.000Z' });
    await deliver();
    expect(await get()).toMatchObject({ status: 'active' });
    expect(await statuses()).toEqual([
      ['paid', 6_000],
      ['paid', 0],
    ]);
  });

  it('is now once, also when that is sent again or ten times at once', async () => {
    const { patch, statuses, updates } = await start();
    const end = { trialEnd: null, expectedAmountDue: 6_000 };
    const responses = await Promise.all(Array.from({ length: 10 }, () => patch(end)));
    const before = (await updates()).length;
    responses.push(await patch(end));
    expect(responses.map(({ status, body }) => [status, body.subscription?.status])).toEqual(
      responses.map(() => [200, 'active']),
    );
    expect(await statuses()).toEqual([
      ['paid', 6_000],
      ['paid', 0],
    ]);
    expect(await updates()).toHaveLength(before);
  });

  it('stays when another amount is due than expected', async () => {
    const { patch, get, statuses } = await start();
    expect(codeOf(await patch({ trialEnd: null, expectedAmountDue: 5_999 }))).toEqual([409, 'amount_changed']);
    expect(await get()).toMatchObject({ status: 'trialing' });
    expect(await statuses()).toEqual([['paid', 0]]);
  });

  it('stays when the payment fails, and leaves no open invoice', async () => {
    const { patch, decline, get, deliver, statuses } = await start();
    await decline();
    expect(codeOf(await patch({ trialEnd: null }))).toEqual([422, 'payment_failed']);
    await deliver();
    expect(await get()).toMatchObject({ status: 'trialing' });
    expect((await statuses()).filter(([status]) => status === 'open')).toEqual([]);
  });

  it('is refused now outside of a trial', async () => {
    const { patch, statuses } = await start({});
    expect(codeOf(await patch({ trialEnd: null }))).toEqual([422, 'not_in_trial']);
    expect(await statuses()).toHaveLength(1);
    const long = await start();
    await long.patch({ trialEnd: null });
    await long.advance('2026-05-13T12:00:00.000Z');
    expect(codeOf(await long.patch({ trialEnd: null }))).toEqual([422, 'not_in_trial']);
  });

  it.each([null, JUNE])('is refused while a schedule plans the periods: %s', async trialEnd => {
    const { patch, processorId } = await start();
    await service.account.dashboard.subscriptionSchedules.create({ from_subscription: processorId });
    expect(codeOf(await patch({ trialEnd }))).toEqual([422, 'subscription_has_schedule']);
    const ours = await start();
    expect((await ours.change({ quantity: 3, when: 'period_end' })).body.change.status).toBe('scheduled');
    expect(codeOf(await ours.patch({ trialEnd }))).toEqual([422, 'subscription_has_schedule']);
  });

  it.each([null, JUNE])('is refused for a subscription that has ended, or is paused: %s', async trialEnd => {
    const { patch, end } = await start();
    await end();
    expect(codeOf(await patch({ trialEnd }))).toEqual([422, 'subscription_ended']);
    const paused = await start();
    await service.control.pause(paused.processorId);
    expect(codeOf(await paused.patch({ trialEnd }))).toEqual([422, 'subscription_paused']);
  });

  it('is refused for a subscription that owes something', async () => {
    const { patch, decline, advance } = await start({});
    await decline();
    await advance('2026-05-01T02:00:00.000Z');
    expect(codeOf(await patch({ trialEnd: JUNE }))).toEqual([422, 'subscription_past_due']);
  });

  it.each([
    { trialEnd: ahead(-1) },
    { trialEnd: ahead(731) },
    { trialEnd: 'tomorrow' },
    { trialEnd: JUNE, cancelAtPeriodEnd: true },
    { trialEnd: JUNE, expectedAmountDue: 0 },
    { trialEnd: null, reason: 'unused' },
    { expectedAmountDue: 0 },
  ])('is refused with an invalid body: %j', async body => {
    const { patch, get } = await start();
    expect(codeOf(await patch(body))).toEqual([400, 'validation_error']);
    expect(await get()).toMatchObject({ status: 'trialing', trialEnd: '2026-05-01T00:00:00.000Z' });
  });

  it('is one entry of the audit log', async () => {
    const { patch, id } = await start();
    await patch({ trialEnd: JUNE });
    const entries = (await service.published(AuditRecorded))
      .map(({ data }) => data)
      .filter(one => one.target?.id === id);
    expect(entries).toMatchObject([
      { action: 'updateSubscription', changes: [{ field: 'trialEnd', from: '2026-05-01T00:00:00.000Z', to: JUNE }] },
    ]);
  });
});

describe.each(ALL_ENDS)('a change of a trial whose call %s', end => {
  async function startChange(trialEnd: Date | null) {
    const started = await start();
    const key = { id: SubscriptionId.schema.parse(started.id) };
    const send = (processor: Processor) =>
      setTrialEnd(dependenciesWith(service, processor))(started.scope, key, { trialEnd }, testAuditContext());
    return { ...started, send };
  }

  it('moves it once', async () => {
    const { send, get, deliver, statuses } = await startChange(new Date(JUNE));
    await send(interrupted(service.processor, 'setTrialEnd', end)).catch(() => undefined);
    expect((await repeated(service, () => send(service.processor))).trialEnd).toEqual(new Date(JUNE));
    await deliver();
    expect(await get()).toMatchObject({ status: 'trialing', trialEnd: JUNE });
    expect(await statuses()).toEqual([['paid', 0]]);
    expect(await service.openOperations()).toEqual([]);
  });

  it('ends and charges it once', async () => {
    const { send, get, deliver, statuses } = await startChange(null);
    await send(interrupted(service.processor, 'changeSubscription', end)).catch(() => undefined);
    await service.runOperations();
    expect((await repeated(service, () => send(service.processor))).status).toBe('active');
    await deliver();
    expect(await get()).toMatchObject({ status: 'active' });
    expect(await statuses()).toEqual([
      ['paid', 6_000],
      ['paid', 0],
    ]);
    expect(await service.openOperations()).toEqual([]);
  });
});
