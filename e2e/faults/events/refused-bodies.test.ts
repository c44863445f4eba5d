import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Tenant } from '../../system/tenant.ts';
import { readEvents } from '../invariants/shown.ts';
import { type FaultySystem, startFaultySystem } from '../system/faulty-system.ts';
import { newProcessorId, signatureOf } from '../system/processor-events.ts';
import { seededRandom } from '../system/random.ts';
import { eachOf } from '../system/sender.ts';
import { holdDeliveries, monthsOfPayments, toSend, WITHOUT_HEALING } from './history.ts';
import { expectPromisesKept } from './kept-promises.ts';
import { post, postSigned, sign, type Received } from './posting.ts';
import { strangeBodies } from './strange-bodies.ts';

const random = seededRandom('refused bodies');
let system: FaultySystem;
let tenant: Tenant;
let other: Tenant;
beforeAll(async () => {
  system = await startFaultySystem({ env: { webhooks: WITHOUT_HEALING } });
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

const recorded = async (of: Tenant) => (await readEvents(of)).map(({ id }) => id).toSorted();

/** An answer without what differs from request to request. */
const withoutRequestId = ({ status, body }: Received) => ({
  status,
  body: { ...body, error: { ...body?.error, requestId: 'any' } },
});

describe('a body that is signed and is no event', () => {
  it('is refused, is not kept, and does the service no harm', async () => {
    const before = await recorded(tenant);
    const pid = system.pidOf('webhooks');
    const bodies = strangeBodies(newEvent());
    const answers: string[] = [];
    await eachOf(random.shuffled(bodies), async ([what, body]) => {
      const signature = sign(body, [tenant.webhookSecret]);
      const { status, body: answer } = await post(body, { ...system, teamId: tenant.teamId, signature });
      if (status !== 400 || answer.error.code !== 'invalid_event') answers.push(`${what}: ${status}`);
    });
    expect(answers).toEqual([]);
    expect(await recorded(tenant)).toEqual(before);
    expect(system.pidOf('webhooks')).toBe(pid);
  });

  it('is kept as ignored if it only is of a type that nobody handles', async () => {
    const event = toSend({ ...newEvent(), type: 'something.nobody.knows' });
    expect(await postSigned(event, [tenant.webhookSecret], tenant, system)).toMatchObject({ status: 200 });
    const records = (await readEvents(tenant)).filter(({ id }) => id === event.id);
    expect(records).toMatchObject([{ status: 'ignored', projectId: null }]);
  });
});

describe('a request whose signature is not right', () => {
  it('gets one answer whatever is wrong and whoever it is for, and leaves nothing behind', async () => {
    const before = [await recorded(tenant), await recorded(other)];
    const forgeries: ((body: string) => readonly [teamId: string, signature: string | undefined])[] = [
      () => [tenant.teamId, undefined],
      () => [tenant.teamId, ''],
      () => [tenant.teamId, 'nonsense'],
      body => [tenant.teamId, signatureOf(tenant.webhookSecret, body).slice(0, -1)],
      body => [tenant.teamId, signatureOf(tenant.webhookSecret, body).replace('v1=', 'v0=')],
      body => [tenant.teamId, signatureOf(tenant.webhookSecret, body).replace(/t=\d+/, 't=1')],
      body => [tenant.teamId, signatureOf(tenant.webhookSecret, `${body} `)],
      body => [tenant.teamId, signatureOf(other.webhookSecret, body)],
      body => [tenant.teamId, sign(body, [''])],
      body => [other.teamId, signatureOf(tenant.webhookSecret, body)],
      body => [`team_${'0'.repeat(24)}`, signatureOf(tenant.webhookSecret, body)],
      body => ['no-team', signatureOf(tenant.webhookSecret, body)],
    ];
    const answers = new Set<string>();
    await eachOf(
      Array.from({ length: 240 }, (_, index) => index),
      async index => {
        const body = JSON.stringify(newEvent());
        const [teamId, signature] = forgeries[index % forgeries.length]?.(body) ?? ['no-team', undefined];
        const path = random.pick(['processor', 'stripe'] as const);
        answers.add(JSON.stringify(withoutRequestId(await post(body, { ...system, teamId, path, signature }))));
      },
    );
    expect([...answers]).toEqual([expect.stringContaining('"code":"invalid_signature"')]);
    expect([await recorded(tenant), await recorded(other)]).toEqual(before);
  });

  // The edges, 300 s to the second, are the service's own tests' matter, which have a clock to themselves.
  it.each([
    ['half a minute too old', -330, 400],
    ['old, and within five minutes', -270, 200],
    ['ahead, and within five minutes', 270, 200],
    ['half a minute too far ahead', 330, 400],
  ])('or that is %s, is answered by its age', async (_what, seconds, status) => {
    const body = JSON.stringify(newEvent());
    const signature = sign(body, [tenant.webhookSecret], Math.floor(Date.now() / 1_000) + seconds);
    expect((await post(body, { ...system, teamId: tenant.teamId, signature })).status).toBe(status);
  });
});

it('takes a captured request again and again within its five minutes, to no further effect', async context => {
  const victim = await holdDeliveries(await system.newTenant());
  const events = await monthsOfPayments(victim, 20);
  const captured = events.map(event => ({ event, signature: signatureOf(victim.webhookSecret, event.body) }));
  const replays = captured.flatMap(request => Array.from({ length: 10 }, () => request));
  await eachOf(random.shuffled(replays), async ({ event, signature }) => {
    const { status } = await post(event.body, { ...system, teamId: victim.teamId, signature });
    event.answers.push(status);
    event.outcome = status === 200 ? 'ok' : 'fail';
  });
  expect(events.flatMap(({ answers }) => answers).filter(status => status !== 200)).toEqual([]);
  await expectPromisesKept(context, victim, events);
});
