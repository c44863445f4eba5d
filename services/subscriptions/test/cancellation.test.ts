import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { SubscriptionCanceled, SubscriptionUpdated } from '@billing/contracts/events/subscriptions';
import { ProjectId, SubscriptionId } from '@billing/contracts/ids';
import type { Processor } from '@billing/processor/port';
import type { CancellationReason } from '@billing/contracts/resources/cancellation';
import { deliveredAgain } from '@billing/testing/processor-events';
import { testAuditContext } from '@billing/service/testing/audit-context';
import { openSubscriptionsOperationLog } from '../src/open-operation-log.ts';
import { scheduleCancellation } from '../src/record/schedule-cancellation.ts';
import { buySubscription } from './buy-subscription.ts';
import { startService, type Service } from './service.ts';

const DAY_SECONDS = 86_400;
let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service[Symbol.asyncDispose]());
beforeEach(() => service.control.clearFaults());

interface Details {
  readonly reason?: CancellationReason;
  readonly comment?: string;
}

/** Buys a subscription; all of its events have been delivered. */
async function buy(options?: { readonly trialDays: number }) {
  const bought = await buySubscription(service, options);
  const path = `/subscriptions/${bought.id}`;
  return {
    ...bought,
    patch: (cancelAtPeriodEnd: boolean, details: Details = {}) =>
      service.call('PATCH', path, { body: { cancelAtPeriodEnd, ...details } }),
    remove: (body: Details = {}) => service.call('DELETE', path, { body }),
    published: async () =>
      (await service.published(SubscriptionUpdated, SubscriptionCanceled)).filter(({ data }) => data.id === bought.id),
  };
}

describe('a cancellation at the end of the period', () => {
  it('leaves the subscription active until then, and can be taken back', async () => {
    const { patch, atProcessor, get } = await buy();
    const scheduled = await patch(true);
    expect(scheduled.status).toBe(200);
    expect(scheduled.body.subscription).toMatchObject({ status: 'active', cancelAtPeriodEnd: true });
    expect(await atProcessor()).toMatchObject({ cancelAtPeriodEnd: true });
    const resumed = await patch(false);
    expect(resumed.body.subscription).toMatchObject({ status: 'active', cancelAtPeriodEnd: false });
    expect(await atProcessor()).toMatchObject({ cancelAtPeriodEnd: false });
    expect(await get()).toEqual(resumed.body.subscription);
  });

  it('can be switched any number of times', async () => {
    const { patch, atProcessor, published } = await buy();
    const before = (await published()).length;
    for (const wanted of [true, false, true, false, true]) {
      expect((await patch(wanted)).body.subscription.cancelAtPeriodEnd).toBe(wanted);
      expect(await atProcessor()).toMatchObject({ cancelAtPeriodEnd: wanted });
    }
    expect(await published()).toHaveLength(before + 5);
  });

  it('has what the customer said here and at the processor, until it is taken back', async () => {
    const { patch, atProcessor, get, published } = await buy();
    const cancellation = { reason: 'too_expensive', comment: 'Ça coûte trop.' } as const;
    const scheduled = await patch(true, { ...cancellation, comment: ` ${cancellation.comment} ` });
    expect(scheduled.body.subscription).toMatchObject({ cancelAtPeriodEnd: true, cancellation });
    expect(await atProcessor()).toMatchObject({ cancellation });
    expect((await published()).at(-1)?.data).toMatchObject({ cancellation });
    expect((await patch(true)).body.subscription).toMatchObject({ cancellation });
    expect((await patch(true, { reason: 'unused' })).body.subscription.cancellation).toEqual({
      reason: 'unused',
      comment: null,
    });
    expect((await patch(false)).body.subscription).toMatchObject({ cancellation: null });
    expect(await atProcessor()).toMatchObject({ cancellation: { reason: null, comment: null } });
    await patch(true);
    expect(await get()).toMatchObject({ cancelAtPeriodEnd: true, cancellation: null });
  });

  it('takes no reason of a resume, no unknown one, and no comment of more than 500 characters', async () => {
    const { patch, get } = await buy();
    const before = await get();
    for (const [cancels, details] of [
      [false, { reason: 'unused' }],
      [true, { reason: 'none' as CancellationReason }], // a caller may send anything
      [true, { comment: 'a'.repeat(501) }],
      [true, { comment: '\u0000' }],
    ] as const)
      expect((await patch(cancels, details)).status).toBe(400);
    expect(await get()).toEqual(before);
    expect((await patch(true, { comment: '' })).body.subscription).toMatchObject({ cancellation: null });
  });

  it('can be requested again, which publishes nothing', async () => {
    const { patch, published } = await buy();
    await patch(true);
    const before = await published();
    expect((await patch(true)).status).toBe(200);
    expect(await published()).toEqual(before);
  });

  it('ends the subscription when the period is over', async () => {
    const { patch, deliverEvents, get } = await buy({ trialDays: 3 });
    await patch(true);
    await service.control.advanceClock(4 * DAY_SECONDS);
    await deliverEvents();
    expect(await get()).toMatchObject({ status: 'canceled' });
  });

  it('is not undone by an older event', async () => {
    const { patch, get, deliverEvents, events } = await buy();
    const before = (await events()).map(deliveredAgain);
    await patch(true);
    for (const event of before) await service.deliver(event);
    expect(await get()).toMatchObject({ cancelAtPeriodEnd: true });
    await deliverEvents();
    expect(await get()).toMatchObject({ cancelAtPeriodEnd: true });
  });

  it('keeps what an event brings before the response of the processor is saved', async () => {
    const { id, processorId, deliverEvents, get, atProcessor } = await buy();
    // While the response is on its way, somebody else changes the subscription, and that event arrives first.
    const overtaken: Pick<Processor, 'setCancelAtPeriodEnd'> = {
      async setCancelAtPeriodEnd(...call) {
        const response = await service.processor.setCancelAtPeriodEnd(...call);
        await service.processor.setCancelAtPeriodEnd(processorId, false, 'somebody-else');
        await deliverEvents();
        return response;
      },
    };
    const processors = { of: async () => ({ ...service.processor, ...overtaken }) };
    const operationLog = openSubscriptionsOperationLog({ ...service, processors });
    const schedule = scheduleCancellation({ ...service, processors, operationLog });
    const key = { id: SubscriptionId.schema.parse(id) };
    expect(await schedule(service.scope, key, { cancelAtPeriodEnd: true }, testAuditContext())).toMatchObject({
      cancelAtPeriodEnd: false,
    });
    expect(await get()).toMatchObject({ cancelAtPeriodEnd: false });
    expect(await atProcessor()).toMatchObject({ cancelAtPeriodEnd: false });
  });

  it('arrives by its event when the response of the processor cannot be saved', async () => {
    const { patch, get, deliverEvents, published } = await buy();
    await service.em.fork().execute(`
      create function refuse() returns trigger language plpgsql as $$ begin raise exception 'refused'; end $$`);
    await service.em.fork().execute(`
      create trigger refuse before update of cancel_at_period_end on subscriptions
        for each row execute function refuse()`);
    expect((await patch(true)).status).toBe(500);
    await service.em.fork().execute(`drop function refuse() cascade`);
    expect(await get()).toMatchObject({ cancelAtPeriodEnd: false });
    await deliverEvents();
    expect(await get()).toMatchObject({ cancelAtPeriodEnd: true });
    expect((await published()).at(-1)?.data).toMatchObject({ cancelAtPeriodEnd: true });
  });

  it('arrives by its event when the response of the processor is lost', async () => {
    const { patch, get, deliverEvents } = await buy();
    await service.control.fail({ path: '/v1/subscriptions', mode: 'done-but-response-lost', times: 99 });
    const { status, headers } = await patch(true, { comment: 'Bye.' });
    expect([status, headers['retry-after']]).toEqual([503, '5']);
    await service.control.clearFaults();
    await deliverEvents();
    const cancellation = { reason: null, comment: 'Bye.' };
    expect(await get()).toMatchObject({ cancelAtPeriodEnd: true, cancellation });
  });

  it('is finished before the next change when the processor did not respond', async () => {
    const { patch, atProcessor, get } = await buy();
    await service.control.fail({ path: '/v1/subscriptions', mode: 'dropped', times: 99 });
    expect((await patch(true)).status).toBe(503);
    await service.control.clearFaults();
    expect((await patch(false)).body.subscription).toMatchObject({ cancelAtPeriodEnd: false });
    expect(await atProcessor()).toMatchObject({ cancelAtPeriodEnd: false });
    expect(await get()).toMatchObject({ cancelAtPeriodEnd: false });
  });
});

describe('a cancellation at once', () => {
  it('ends a subscription that is scheduled to end', async () => {
    const { id, patch, remove, get, deliverEvents, published } = await buy();
    await patch(true, { reason: 'unused' });
    const { status, body } = await remove();
    expect(status).toBe(200);
    expect(body).toEqual({ subscription: { id, status: 'canceled', cancelAtPeriodEnd: false }, invoices: [] });
    const cancellation = { reason: 'unused', comment: null };
    expect(await get()).toMatchObject({ status: 'canceled', cancelAtPeriodEnd: false, cancellation });
    await deliverEvents();
    expect(await get()).toMatchObject({ status: 'canceled', cancelAtPeriodEnd: false, cancellation });
    expect((await published()).filter(({ type }) => type === SubscriptionCanceled.name)).toHaveLength(1);
  });

  it('has what the customer said', async () => {
    const { remove, get, atProcessor } = await buy();
    const cancellation = { reason: 'customer_service', comment: 'Nobody called back.' } as const;
    expect((await remove(cancellation)).status).toBe(200);
    expect(await get()).toMatchObject({ status: 'canceled', cancellation });
    expect(await atProcessor()).toMatchObject({ cancellation });
  });

  it.each([
    ['PATCH', 422, 'subscription_ended'],
    ['DELETE', 404, 'subscription_not_found'],
  ] as const)('rejects a later %s', async (method, ...refusal) => {
    const { id, remove } = await buy();
    await remove();
    const body = method === 'PATCH' ? { body: { cancelAtPeriodEnd: false } } : {};
    const response = await service.call(method, `/subscriptions/${id}`, body);
    expect([response.status, response.body.error.code]).toEqual(refusal);
  });

  it.each([
    ['PATCH', 422, 'subscription_ended'],
    ['DELETE', 404, 'subscription_not_found'],
  ] as const)('that was missed is found out by a %s', async (method, ...refusal) => {
    const { id, processorId, get } = await buy();
    await service.control.end(processorId);
    const body = method === 'PATCH' ? { body: { cancelAtPeriodEnd: true } } : {};
    const response = await service.call(method, `/subscriptions/${id}`, body);
    expect([response.status, response.body.error.code]).toEqual(refusal);
    expect(await get()).toMatchObject({ status: 'canceled' });
  });
});

/** Has a schedule of the processor manage a subscription; returns how it is read again. */
async function addSchedule(subscriptionId: string) {
  const { subscriptionSchedules: schedules } = service.account.dashboard;
  const { id } = await schedules.create({ from_subscription: subscriptionId });
  return () => schedules.retrieve(id);
}

describe('a subscription that a schedule manages', () => {
  it('is neither set to end nor resumed', async () => {
    const { patch, processorId, get, atProcessor } = await buy();
    await addSchedule(processorId);
    for (const cancelAtPeriodEnd of [true, false]) {
      const { status, body } = await patch(cancelAtPeriodEnd);
      expect([status, body.error.code]).toEqual([422, 'subscription_has_schedule']);
    }
    expect(await get()).toMatchObject({ status: 'active', cancelAtPeriodEnd: false });
    expect(await atProcessor()).toMatchObject({ status: 'active', scheduleId: expect.stringMatching(/^sub_sched_/) });
  });

  it('is released from the schedule when it is canceled at once', async () => {
    const { remove, processorId, get } = await buy();
    const readSchedule = await addSchedule(processorId);
    expect((await remove()).status).toBe(200);
    expect(await readSchedule()).toMatchObject({ status: 'released' });
    expect(await get()).toMatchObject({ status: 'canceled' });
  });

  it('is canceled although the response about its release is lost', async () => {
    const { remove, processorId, get } = await buy();
    const readSchedule = await addSchedule(processorId);
    await service.control.fail({ method: 'POST', path: '/v1/subscription_schedules', mode: 'done-but-response-lost' });
    expect((await remove()).status).toBe(200);
    expect(await readSchedule()).toMatchObject({ status: 'released' });
    expect(await get()).toMatchObject({ status: 'canceled' });
  });

  it.each(['dropped', 'done-but-response-lost'] as const)(
    'is canceled by a repeat after its release, when the cancellation was %s',
    async mode => {
      const { remove, processorId, atProcessor, get } = await buy();
      const readSchedule = await addSchedule(processorId);
      await service.control.fail({ method: 'DELETE', path: '/v1/subscriptions', mode, times: 99 });
      expect((await remove()).status).toBe(503);
      await service.control.clearFaults();
      expect(await readSchedule()).toMatchObject({ status: 'released' });
      expect([200, 404]).toContain((await remove()).status);
      expect(await atProcessor()).toMatchObject({ status: 'canceled', scheduleId: null });
      expect(await get()).toMatchObject({ status: 'canceled' });
    },
  );
});

describe('changes of one subscription at the same time', () => {
  it.each([
    ['PATCH', 24, 0],
    ['DELETE', 0, 24],
    ['PATCH and DELETE', 12, 12],
  ] as const)(
    'take turns: %s',
    async (_title, patches, deletions) => {
      const { patch, remove, get, atProcessor } = await buy();
      const responses = await Promise.all([
        ...Array.from({ length: patches }, (_, index) => patch(index % 2 === 0)),
        ...Array.from({ length: deletions }, () => remove()),
      ]);
      const outcomes = new Set(
        responses.map(({ status, body }) => (status === 200 ? 'done' : `${status} ${body.error.code}`)),
      );
      const refusals = ['409 conflict', '422 subscription_ended', '404 subscription_not_found'];
      for (const outcome of outcomes) expect(['done', ...refusals]).toContain(outcome);
      expect(outcomes).toContain('done');
      const { status, cancelAtPeriodEnd } = await atProcessor();
      expect(await get()).toMatchObject({ status, cancelAtPeriodEnd });
      expect(status).toBe(deletions > 0 ? 'canceled' : 'active');
    },
    30_000,
  );
});

describe('a change that is rejected', () => {
  it("is one of another project's subscription", async () => {
    const { id, atProcessor } = await buy();
    const of = { ...service.scope, projectId: ProjectId.create() };
    const responses = [
      await service.call('PATCH', `/subscriptions/${id}`, { of, body: { cancelAtPeriodEnd: true } }),
      await service.call('DELETE', `/subscriptions/${id}`, { of }),
    ];
    expect(responses.map(({ status }) => status)).toEqual([404, 404]);
    expect(await atProcessor()).toMatchObject({ status: 'active', cancelAtPeriodEnd: false });
  });

  it.each([{}, { cancelAtPeriodEnd: 'yes' }, { cancelAtPeriodEnd: true, status: 'active' }])(
    'has an invalid body: %j',
    async body => {
      const { id } = await buy();
      expect((await service.call('PATCH', `/subscriptions/${id}`, { body })).status).toBe(400);
    },
  );
});
