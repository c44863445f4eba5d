import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { AuditRecorded } from '@billing/contracts/events/audit';
import { SubscriptionId } from '@billing/contracts/ids';
import { subscriptionPauseCreate } from '@billing/contracts/resources/subscription-pause';
import type { Processor } from '@billing/processor/port';
import { testAuditContext } from '@billing/service/testing/audit-context';
import { randomUUID } from 'node:crypto';
import { pauseCollection, resumeCollection } from '../src/record/pause-collection.ts';
import { ALL_ENDS, dependenciesWith, interrupted, repeated } from './interrupted-calls.ts';
import { startService, type Service } from './service.ts';
import { subscribeToSeats } from './subscribe-to-seats.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service[Symbol.asyncDispose]());
beforeEach(() => service.control.clearFaults());

const MAY_20 = '2026-05-20T00:00:00.000Z';

async function start() {
  const seats = await subscribeToSeats(service);
  const { id, scope } = seats;
  const post =
    (path: string) =>
    (body?: object, headers: Record<string, string> = {}) =>
      service.call('POST', `/subscriptions/${id}/${path}`, { of: scope, ...(body && { body }), headers });
  return {
    ...seats,
    pause: post('pause'),
    resume: post('resume'),
    end: () => service.call('DELETE', `/subscriptions/${id}`, { of: scope }),
    update: (params: object) => service.account.dashboard.subscriptions.update(seats.processorId, params),
  };
}

const codeOf = ({
  status,
  body,
}: {
  readonly status: number;
  readonly body: { readonly error?: { code: string } };
}) => [status, body.error?.code];

describe('a pause', () => {
  it('leaves the status, and is told with what the request has caused', async () => {
    const { pause, get, atProcessor, updates, deliver } = await start();
    const before = (await updates()).length;
    const { body } = await pause({ invoices: 'keep_as_draft', resumesAt: MAY_20 });
    const paused = { invoices: 'keep_as_draft', resumesAt: MAY_20 };
    expect(body.subscription).toMatchObject({ status: 'active', paused });
    expect(await atProcessor()).toMatchObject({
      pauseCollection: { behavior: 'keep_as_draft', resumesAt: new Date(MAY_20) },
    });
    await deliver();
    expect(await get()).toMatchObject({ status: 'active', paused });
    expect((await updates()).slice(before)).toMatchObject([
      { type: 'subscription.updated', cause: { type: 'api', requestId: 'req_test' }, data: { paused } },
    ]);
  });

  it('voids invoices until someone resumes it, unless the request says otherwise', async () => {
    const { pause, advance, deliver, invoicesAtProcessor, get } = await start();
    expect((await pause()).body.subscription.paused).toEqual({ invoices: 'void', resumesAt: null });
    await advance('2026-05-01T02:00:00.000Z');
    await deliver();
    expect((await invoicesAtProcessor()).map(({ status }) => status)).toEqual(['void', 'paid']);
    expect(await get()).toMatchObject({ status: 'active', paused: { invoices: 'void' } });
  });

  it('ends by itself', async () => {
    const { pause, advance, deliver, get } = await start();
    await pause({ resumesAt: MAY_20 });
    await advance('2026-05-20T00:00:01.000Z');
    await deliver();
    expect(await get()).toMatchObject({ status: 'active', paused: null });
  });

  it.each(['pause', 'update'] as const)('is refused beside another one that was made by %s', async by => {
    const { pause, update, get, atProcessor } = await start();
    if (by === 'pause') await pause();
    else await update({ pause_collection: { behavior: 'void' } });
    expect(codeOf(await pause({ invoices: 'mark_uncollectible' }))).toEqual([422, 'already_paused']);
    expect(await atProcessor()).toMatchObject({ pauseCollection: { behavior: 'void' } });
    expect((await get()).status).toBe('active');
  });

  it('is refused for a subscription that is paused for want of a payment method', async () => {
    const { pause, processorId, deliver } = await start();
    await service.control.pause(processorId);
    expect(codeOf(await pause())).toEqual([422, 'already_paused']);
    await deliver();
    expect(codeOf(await pause())).toEqual([422, 'already_paused']);
  });

  it('is refused for a subscription that has ended, also when only the processor knows it', async () => {
    const { pause, end } = await start();
    await end();
    expect(codeOf(await pause())).toEqual([422, 'subscription_ended']);
    const other = await start();
    await service.control.end(other.processorId);
    expect(codeOf(await other.pause())).toEqual([422, 'subscription_ended']);
  });

  it.each([
    [{ resumesAt: '2026-04-12T00:00:00.000Z' }],
    [{ resumesAt: 'tomorrow' }],
    [{ invoices: 'delete' }],
    [{ until: MAY_20 }],
  ])('is refused with an invalid body: %j', async body => {
    const { pause, get } = await start();
    expect(codeOf(await pause(body))).toEqual([400, 'validation_error']);
    expect(await get()).toMatchObject({ paused: null });
  });

  it('is one entry of the audit log', async () => {
    const { pause, resume, id } = await start();
    await pause({ resumesAt: MAY_20 });
    await resume();
    const entries = (await service.published(AuditRecorded))
      .map(({ data }) => data)
      .filter(one => one.target?.id === id);
    expect(entries).toMatchObject([
      {
        action: 'pauseSubscription',
        changes: [
          { field: 'paused.invoices', from: null, to: 'void' },
          { field: 'paused.resumesAt', from: null, to: MAY_20 },
        ],
      },
      { action: 'resumeSubscription', changes: [{ field: 'paused.invoices', from: 'void', to: null }] },
    ]);
  });
});

describe('the end of a pause', () => {
  it('has the subscription pay again', async () => {
    const { pause, resume, get, advance, deliver, invoicesAtProcessor } = await start();
    await pause();
    expect((await resume()).body.subscription).toMatchObject({ status: 'active', paused: null });
    await advance('2026-05-01T02:00:00.000Z');
    await deliver();
    expect(await get()).toMatchObject({ paused: null });
    expect((await invoicesAtProcessor()).map(({ status }) => status)).toEqual(['paid', 'paid']);
  });

  it('is refused without a pause, also when only the processor knows it', async () => {
    const { pause, resume, update } = await start();
    expect(codeOf(await resume())).toEqual([422, 'not_paused']);
    await pause();
    await update({ pause_collection: '' });
    expect(codeOf(await resume())).toEqual([422, 'not_paused']);
  });

  it('is refused for a subscription that has ended', async () => {
    const { pause, resume, end } = await start();
    await pause();
    await end();
    expect(codeOf(await resume())).toEqual([422, 'subscription_ended']);
  });
});

const HOW = subscriptionPauseCreate.parse({ invoices: 'mark_uncollectible', resumesAt: '2026-05-20T00:00:00.500Z' });
const STEPS = ['pauseCollection', 'resumeCollection'] as const;
const interruptions = STEPS.flatMap(step => ALL_ENDS.map(end => [step, end] as const));

describe.each(interruptions)('a change whose %s %s', (step, end) => {
  async function startChange() {
    const started = await start();
    const key = { id: SubscriptionId.schema.parse(started.id) };
    if (step === 'resumeCollection') await started.pause();
    const operationKey = randomUUID();
    const change = (processor: Processor) => {
      const dependencies = dependenciesWith(service, processor);
      return step === 'pauseCollection'
        ? pauseCollection(dependencies)(started.scope, key, HOW, testAuditContext(), operationKey)
        : resumeCollection(dependencies)(started.scope, key, testAuditContext(), operationKey);
    };
    const behavior = step === 'pauseCollection' ? 'mark_uncollectible' : null;
    return { ...started, change, behavior };
  }

  it('is made once, and its repeat under the same key gets the same result', async () => {
    const { change, behavior, atProcessor, get, deliver, updates } = await startChange();
    const before = (await updates()).length;
    await change(interrupted(service.processor, step, end)).catch(() => undefined);
    const row = await repeated(service, () => change(service.processor));
    expect(row.pauseBehavior).toBe(behavior);
    expect((await change(service.processor)).version).toBe(row.version);
    await deliver();
    expect((await updates()).length).toBe(before + 1);
    expect((await atProcessor()).pauseCollection?.behavior ?? null).toBe(behavior);
    expect((await get()).paused?.invoices ?? null).toBe(behavior);
    expect(await service.openOperations()).toEqual([]);
  });

  it.skipIf(end.startsWith('fails'))('is finished without its caller', async () => {
    const { change, behavior, get } = await startChange();
    await change(interrupted(service.processor, step, end)).catch(() => undefined);
    await service.runOperations();
    expect((await get()).paused?.invoices ?? null).toBe(behavior);
    expect(await service.openOperations()).toEqual([]);
  });
});
