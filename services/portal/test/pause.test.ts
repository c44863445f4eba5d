import { SubscriptionId } from '@billing/contracts/ids';
import { unprocessable } from '@billing/contracts/problem';
import { expect, it } from 'vitest';
import type { ShownSubscription } from '../src/views/portal-view.ts';
import { aPreview, aSubscription } from './billing-samples.ts';
import { textOf } from './page-text.ts';
import { fieldsOf } from './start-plans.ts';
import { startService } from './start-service.ts';

const DAY_MS = 86_400_000;
const inDays = (days: number) => new Date(Date.now() + days * DAY_MS);

/** A customer with a subscription in a project whose customers may pause. */
async function startPausing(pause: object = { enabled: true, maxDays: 90 }, changes: Partial<ShownSubscription> = {}) {
  const service = await startService();
  await service.configure({ pause });
  const subscription = aSubscription(service, changes);
  service.otherServices.subscriptions.push(subscription);
  const { token } = await service.createLink();
  const path = `/subscriptions/${subscription.id}/pause`;
  return {
    service,
    subscription,
    token,
    path,
    pauses: service.otherServices.pauses,
    resumes: service.otherServices.resumes,
    call: (action: 'pause' | 'resume', payload?: object, { id = subscription.id, key = '' } = {}) =>
      service.app.inject({
        method: 'POST',
        url: `/api/portal/${token}/subscriptions/${id}/${action}`,
        headers: { ...service.identity.anonymous(), ...(key && { 'idempotency-key': key }) },
        ...(payload && { payload }),
      }),
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  };
}

it('pauses until the customer wants, and resumes, as the customer', async () => {
  await using pausing = await startPausing();
  const { service, subscription, pauses, resumes } = pausing;
  const resumesAt = inDays(30).toISOString();
  const paused = await pausing.call('pause', { resumesAt }, { key: 'once' });
  expect([paused.statusCode, paused.json()]).toMatchObject([
    200,
    { subscription: { id: subscription.id, paused: { invoices: 'void', resumesAt } } },
  ]);
  expect(paused.body).not.toContain('metadata');
  const repeated = await pausing.call('pause', { resumesAt }, { key: 'once' });
  expect(repeated.headers['idempotent-replayed']).toBe('true');
  const audit = { actor: { type: 'customer', id: service.customerId }, action: 'pausePortalSubscription' };
  const of = { ...service.scope, customerId: service.customerId, subscriptionId: subscription.id };
  expect(pauses).toMatchObject([{ ...of, resumesAt: new Date(resumesAt), audit }]);
  expect((await pausing.call('pause')).json()).toMatchObject({ error: { code: 'already_paused' } });

  const resumed = await pausing.call('resume');
  expect([resumed.statusCode, resumed.json()]).toMatchObject([200, { subscription: { paused: null } }]);
  expect(resumes).toMatchObject([
    { ...of, billingCycle: 'keep', expectedAmountDue: 0, audit: { ...audit, action: 'resumePortalSubscription' } },
  ]);
  expect((await pausing.call('resume')).json()).toMatchObject({ error: { code: 'not_paused' } });
});

it('gives a pause an end where the project limits them, and else only on request', async () => {
  await using limited = await startPausing();
  const before = inDays(90);
  await limited.call('pause');
  const [pause] = limited.pauses;
  expect(pause?.resumesAt?.getTime()).toBeGreaterThanOrEqual(before.getTime());
  expect(pause?.resumesAt?.getTime()).toBeLessThanOrEqual(inDays(90).getTime());
  await using unlimited = await startPausing({ enabled: true, maxDays: null });
  await unlimited.call('pause', {});
  expect(unlimited.pauses).toMatchObject([{ resumesAt: null }]);
});

it('refuses what is not offered, and finds no subscription of others', async () => {
  await using pausing = await startPausing();
  const { service, subscription, pauses, resumes } = pausing;
  const codeOf = async (...request: Parameters<typeof pausing.call>) => {
    const response = await pausing.call(...request);
    return [response.statusCode, response.json<{ error: { code: string } }>().error.code];
  };
  const notOffered = [422, 'pause_not_offered'];
  const tooLong = { resumesAt: inDays(91).toISOString() };
  expect(await codeOf('pause', tooLong)).toEqual(notOffered);
  for (const changes of [{ status: 'trialing' }, { status: 'past_due' }, { cancelAtPeriodEnd: true }] as const) {
    Object.assign(subscription, { status: 'active', cancelAtPeriodEnd: false }, changes);
    expect(await codeOf('pause')).toEqual(notOffered);
  }
  for (const action of ['pause', 'resume'] as const) {
    const id = SubscriptionId.create();
    expect(await codeOf(action, {}, { id })).toEqual([404, 'subscription_not_found']);
  }
  await service.configure({});
  for (const action of ['pause', 'resume'] as const) expect(await codeOf(action)).toEqual(notOffered);
  expect([pauses, resumes]).toEqual([[], []]);
});

it('charges no more for a resumption than the customer has confirmed', async () => {
  await using pausing = await startPausing({ enabled: true }, { status: 'paused' });
  const refused = await pausing.call('resume');
  expect([refused.statusCode, refused.json()]).toMatchObject([
    409,
    { error: { code: 'amount_changed', details: { expected: 0, actual: 3_000 } } },
  ]);
  expect((await pausing.call('resume', { expectedAmountDue: 3_000 })).statusCode).toBe(200);
  expect(pausing.resumes).toMatchObject([{ billingCycle: 'restart' }, { billingCycle: 'restart' }]);
});

it('pauses and resumes without script, once however often a button is pressed', async () => {
  await using pausing = await startPausing();
  const { service, token, path, pauses, resumes } = pausing;
  const card = async () => wordsOf((await service.visit(token)).body);
  expect(await card()).toMatch(/Renews on.* Pause Pro /);
  const { body } = await service.visit(token, path);
  expect(wordsOf(body)).toMatch(
    /Pause Pro\? You will not be charged while it is paused\..* 7 days 14 days 30 days 60 days 90 days /,
  );
  expect(body).toMatch(/value="90"\s+selected/);
  const form = { ...fieldsOf(body), days: '30' };
  const presses = await Promise.all([1, 2].map(() => service.submit(token, path, form)));
  for (const { statusCode, headers } of presses)
    expect([statusCode, headers.location]).toEqual([303, expect.stringContaining('notice=paused')]);
  const [pause] = pauses;
  expect(Math.round(((pause?.resumesAt?.getTime() ?? 0) - Date.now()) / DAY_MS)).toBe(30);
  expect(new Set(pauses.map(({ operationKey }) => operationKey)).size).toBe(1);
  expect(await card()).toMatch(/Paused .*Paused until .* End pause of Pro /);
  expect((await service.visit(token, path)).statusCode).toBe(303);
  for (let times = 0; times < 2; times += 1)
    expect((await service.submit(token, `${path}/end`)).headers.location).toContain('notice=resumed');
  expect(resumes).toMatchObject([{ expectedAmountDue: 0 }, {}]);
  expect(await card()).toMatch(/Active .*Renews on/);
});

it('shows what resuming costs before it is charged, and again when that has changed', async () => {
  await using pausing = await startPausing({ enabled: true }, { status: 'paused', currentPeriodEnd: new Date() });
  const { service, token, path, resumes, subscription } = pausing;
  service.otherServices.preview = aPreview({ nextInvoice: null });
  expect((await service.visit(token)).body).toContain(`href="/portal/${token}${path}/end"`);
  const { body } = await service.visit(token, `${path}/end`);
  expect(wordsOf(body)).toMatch(/Resume Pro\?.*Due today \$30\.00/);
  service.otherServices.preview = aPreview({ amountDue: 3_100, total: 3_100, nextInvoice: null });
  const again = await service.submit(token, `${path}/end`, fieldsOf(body));
  expect(again.statusCode).toBe(409);
  expect(wordsOf(again.body)).toMatch(/The amounts have changed\..*Due today \$31\.00/);
  service.otherServices.changeRefusal = unprocessable('payment_failed', 'Declined.');
  const declined = await service.submit(token, `${path}/end`, fieldsOf(again.body));
  expect([declined.statusCode, wordsOf(declined.body)]).toEqual([422, expect.stringContaining('was declined')]);
  service.otherServices.changeRefusal = null;
  const made = await service.submit(token, `${path}/end`, fieldsOf(declined.body));
  expect(made.headers.location).toContain('notice=resumed');
  expect(resumes.at(-1)).toMatchObject({ expectedAmountDue: 3_100, billingCycle: 'restart' });
  expect(subscription.status).toBe('active');
});

it('offers no pause where the project has not set it, and whatever the fields of a form are', async () => {
  await using pausing = await startPausing({});
  const { service, token, path, pauses, resumes } = pausing;
  expect(wordsOf((await service.visit(token)).body)).not.toMatch(/Pause|pause/);
  expect((await service.visit(token, path)).statusCode).toBe(303);
  for (const at of [path, `${path}/end`])
    for (const fields of [{}, { days: '-1', expectedAmountDue: 'x' }, { days: '9999', key: '' }])
      expect((await service.submit(token, at, fields)).headers.location).toContain('notice=not-possible');
  expect([pauses, resumes]).toEqual([[], []]);
});

const wordsOf = (body: string): string => textOf(body).replaceAll(/\s+/g, ' ');
