import { signatureOf } from '@billing/testing/signed-webhooks';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Tenant } from '../../system/tenant.ts';
import { expectInvariants } from '../invariants/expect-invariants.ts';
import { readWebhookEvents } from '../invariants/snapshot.ts';
import { type FaultySystem, startFaultySystem } from '../system/faulty-system.ts';
import { newProcessorId } from '../system/webhook-events.ts';
import { seededRandom } from '../system/random.ts';
import { forEachConcurrently, recordAttempt } from '../system/sender.ts';
import { holdDeliveries, monthsOfPayments, toSentEvent, RECONCILER_OFF } from './history.ts';
import { post, postSigned, type WebhookResponse } from './post-webhook.ts';
import { bodiesThatAreNotJson, bodiesWithoutSnapshot } from './malformed-bodies.ts';

const random = seededRandom('rejected requests');
let system: FaultySystem;
let tenant: Tenant;
let other: Tenant;
beforeAll(async () => {
  system = await startFaultySystem({ env: { webhooks: RECONCILER_OFF } });
  tenant = await holdDeliveries(await system.newTenant());
  other = await holdDeliveries(await system.newTenant());
});
afterAll(() => system?.[Symbol.asyncDispose]());

const newEvent = () => ({
  id: newProcessorId('evt'),
  object: 'event',
  api_version: '2026-10-28.endive',
  created: Math.floor(Date.now() / 1_000),
  livemode: false,
  type: 'payment_method.attached',
  data: { object: { id: newProcessorId('pm'), object: 'payment_method' } },
});

const readEventIds = async (owner: Tenant) => (await readWebhookEvents(owner)).map(({ id }) => id).toSorted();

/** Replaces the request id, the only part of an error that differs between requests. */
const withoutRequestId = ({ status, body }: WebhookResponse) => ({
  status,
  body: { ...body, error: { ...body?.error, requestId: 'any' } },
});

describe('a signed body that is not an event', () => {
  it('is rejected when it is not JSON, is not stored, and does not crash the service', async () => {
    const before = await readEventIds(tenant);
    const pid = system.pidOf('webhooks');
    const bodies = bodiesThatAreNotJson(newEvent());
    const accepted: string[] = [];
    await forEachConcurrently(random.shuffled(bodies), async ([description, body]) => {
      const signature = signatureOf(body, [tenant.webhookSecret]);
      const { status, body: response } = await post(body, { ...system, teamId: tenant.teamId, signature });
      if (status !== 400 || response?.error?.code !== 'invalid_event') accepted.push(`${description}: ${status}`);
    });
    expect(accepted).toEqual([]);
    expect(await readEventIds(tenant)).toEqual(before);
    expect(system.pidOf('webhooks')).toBe(pid);
  });

  it('is recorded as ignored when it is JSON, so that the processor does not send it again', async () => {
    const before = new Set(await readEventIds(tenant));
    const pid = system.pidOf('webhooks');
    const refused: string[] = [];
    await forEachConcurrently(random.shuffled(bodiesWithoutSnapshot(newEvent())), async ([description, body]) => {
      const signature = signatureOf(body, [tenant.webhookSecret]);
      const { status } = await post(body, { ...system, teamId: tenant.teamId, signature });
      if (status !== 200) refused.push(`${description}: ${status}`);
    });
    expect(refused).toEqual([]);
    const records = (await readWebhookEvents(tenant)).filter(({ id }) => !before.has(id));
    expect(new Set(records.map(({ status }) => status))).toEqual(new Set(['ignored']));
    expect(system.pidOf('webhooks')).toBe(pid);
  });

  it('is stored as ignored when only its type is unknown', async () => {
    const event = toSentEvent({ ...newEvent(), type: 'unknown.type' });
    expect(await postSigned(event, [tenant.webhookSecret], tenant, system)).toMatchObject({ status: 200 });
    const records = (await readWebhookEvents(tenant)).filter(({ id }) => id === event.id);
    expect(records).toMatchObject([{ status: 'ignored', projectId: null }]);
  });
});

describe('a request with an invalid signature', () => {
  it('gets the same response for every defect and team, and stores nothing', async () => {
    const before = [await readEventIds(tenant), await readEventIds(other)];
    const forgeries: ((body: string) => readonly [teamId: string, signature: string | undefined])[] = [
      () => [tenant.teamId, undefined],
      () => [tenant.teamId, ''],
      () => [tenant.teamId, 'nonsense'],
      body => [tenant.teamId, signatureOf(body, tenant.webhookSecret).slice(0, -1)],
      body => [tenant.teamId, signatureOf(body, tenant.webhookSecret).replace('v1=', 'v0=')],
      body => [tenant.teamId, signatureOf(body, tenant.webhookSecret).replace(/t=\d+/, 't=1')],
      body => [tenant.teamId, signatureOf(`${body} `, tenant.webhookSecret)],
      body => [tenant.teamId, signatureOf(body, other.webhookSecret)],
      body => [tenant.teamId, signatureOf(body, [''])],
      body => [other.teamId, signatureOf(body, tenant.webhookSecret)],
      body => [`team_${'0'.repeat(24)}`, signatureOf(body, tenant.webhookSecret)],
      body => ['unknown-team', signatureOf(body, tenant.webhookSecret)],
    ];
    const responses = new Set<string>();
    await forEachConcurrently(
      Array.from({ length: 240 }, (_, index) => index),
      async index => {
        const body = JSON.stringify(newEvent());
        const [teamId, signature] = forgeries[index % forgeries.length]?.(body) ?? ['unknown-team', undefined];
        const path = random.pick(['processor', 'stripe'] as const);
        responses.add(JSON.stringify(withoutRequestId(await post(body, { ...system, teamId, path, signature }))));
      },
    );
    expect([...responses]).toEqual([expect.stringContaining('"code":"invalid_signature"')]);
    expect([await readEventIds(tenant), await readEventIds(other)]).toEqual(before);
  });

  // The service's own tests check the exact limit of 300 seconds with a fixed clock.
  it.each([
    [-330, 400],
    [-270, 200],
    [270, 200],
    [330, 400],
  ])('with a timestamp %i seconds from now gets %i', async (seconds, status) => {
    const body = JSON.stringify(newEvent());
    const signature = signatureOf(body, [tenant.webhookSecret], { at: Math.floor(Date.now() / 1_000) + seconds });
    expect((await post(body, { ...system, teamId: tenant.teamId, signature })).status).toBe(status);
  });
});

it('accepts replayed requests within five minutes, without further effect', async context => {
  const victim = await holdDeliveries(await system.newTenant());
  const events = await monthsOfPayments(victim, 20);
  const captured = events.map(event => ({ event, signature: signatureOf(event.body, victim.webhookSecret) }));
  const replays = captured.flatMap(request => Array.from({ length: 10 }, () => request));
  await forEachConcurrently(random.shuffled(replays), async ({ event, signature }) => {
    const { status } = await post(event.body, { ...system, teamId: victim.teamId, signature });
    recordAttempt(event, status);
  });
  expect(events.flatMap(({ statuses }) => statuses).filter(status => status !== 200)).toEqual([]);
  await expectInvariants(context, victim, events);
});
