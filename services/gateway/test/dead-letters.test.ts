import { randomBytes } from 'node:crypto';
import { SERVICES, type ServiceName } from '@billing/contracts/operation';
import { unavailable } from '@billing/contracts/problem';
import type { DeadLetter } from '@billing/contracts/resources/dead-letter';
import { deadLetterCalls } from '@billing/contracts/rpc/dead-letters';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startGateway, type Gateway } from './start-gateway.ts';

let gateway: Gateway;
/** The letters of the other services, newest first; the gateway has a table of its own. */
const letters = new Map<ServiceName, DeadLetter[]>();
/** The calls of each service. */
const called: { readonly service: ServiceName; readonly call: string; readonly teamId: string }[] = [];
let down: ServiceName | undefined;

const newLetter = (service: ServiceName, failedAt: number, more: Partial<DeadLetter> = {}): DeadLetter => ({
  id: `dl_${service}_${randomBytes(16).toString('hex')}`,
  service,
  consumer: `${service}-test`,
  type: 'test.counted.v1',
  eventId: crypto.randomUUID(),
  projectId: null,
  status: 'failed',
  attempts: 8,
  error: 'an unexpected error on our side; the log has it',
  occurredAt: new Date(failedAt - 1_000),
  failedAt: new Date(failedAt),
  ...more,
});

async function serveLetters(service: ServiceName): Promise<void> {
  const { list, find, retry, drop } = deadLetterCalls[service];
  const note = (call: string, teamId: string) => {
    called.push({ service, call, teamId });
    if (down === service) throw unavailable('The database does not respond.');
  };
  const matching = ({ id, consumer }: { readonly id?: string | undefined; readonly consumer?: string | undefined }) =>
    (letters.get(service) ?? []).filter(
      letter => (!id || letter.id === id) && (!consumer || letter.consumer === consumer),
    );
  await gateway.serve(list, async ({ teamId, limit, offset, after, ...filter }) => {
    note('list', teamId);
    const all = matching(filter);
    const following = after
      ? all.filter(({ failedAt, id }) => failedAt < after.at || (+failedAt === +after.at && id > after.id))
      : all;
    return { deadLetters: following.slice(offset, offset + limit), total: all.length };
  });
  await gateway.serve(find, async ({ teamId, id }) => {
    note('find', teamId);
    const [letter] = matching({ id });
    return letter ? { ...letter, data: { number: 1 } } : null;
  });
  for (const [name, call] of Object.entries({ retry, drop }))
    await gateway.serve(call, async ({ teamId, ...filter }) => {
      note(name, teamId);
      return { count: matching(filter).filter(({ status }) => status === 'failed').length };
    });
}

beforeAll(async () => {
  gateway = await startGateway();
  for (const service of SERVICES) if (service !== 'gateway') await serveLetters(service);
});
afterAll(() => gateway[Symbol.asyncDispose]());

/** A team, and a dead letter of its own audit log in the gateway's table. */
async function newTeam() {
  const tenant = await gateway.createTenant();
  const addOwn = (failedAt: Date) =>
    gateway.em.fork().execute(
      `insert into dead_letters (consumer, event_id, type, team_id, event, attempts, error, failed_at, dead_lettered_at)
       values ('gateway-audit-log', gen_random_uuid(), 'audit.recorded.v1', ?, ?::jsonb, 8, 'relation is missing', now(), ?)`,
      [
        tenant.teamId,
        JSON.stringify({ occurredAt: failedAt.toISOString(), data: { secret: 'no' } }),
        failedAt.toISOString(),
      ],
    );
  const path = `${tenant.teamPath}/dead-letters`;
  const call = (method: string, suffix = '', body?: unknown) => tenant.owner.call(method, `${path}${suffix}`, body);
  return { ...tenant, addOwn, call };
}

it('lists the letters of all services together, newest first and in pages', async () => {
  const team = await newTeam();
  const at = Date.now();
  await team.addOwn(new Date(at - 5));
  letters.set('catalog', [newLetter('catalog', at - 1), newLetter('catalog', at - 9)]);
  // More than fit into one reply.
  letters.set(
    'subscriptions',
    Array.from({ length: 1_200 }, (_, index) => newLetter('subscriptions', at - 20 - index)),
  );
  const services = async (query: string) =>
    (await team.call('GET', query)).body.deadLetters.map(({ service }: DeadLetter) => service);
  expect(await services('?limit=4')).toEqual(['catalog', 'gateway', 'catalog', 'subscriptions']);
  expect(await services('?limit=2&offset=1')).toEqual(['gateway', 'catalog']);
  expect(await services('?service=gateway')).toEqual(['gateway']);
  expect(await services('?consumer=catalog-test')).toEqual(['catalog', 'catalog']);

  const { body } = await team.call('GET', '?limit=3&offset=1200');
  expect(body.pagination).toEqual({
    limit: 3,
    offset: 1_200,
    total: 1_203,
    hasMore: false,
    totalIsExact: true,
    nextCursor: null,
  });
  expect(body.deadLetters.map(({ id }: DeadLetter) => id)).toEqual(
    letters
      .get('subscriptions')
      ?.slice(1_197)
      .map(({ id }) => id),
  );
  expect((await team.call('GET', '?offset=10000')).body).toMatchObject({
    deadLetters: [],
    pagination: { total: 1_203 },
  });
  const walked: string[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const next = (await team.call('GET', `?limit=100${cursor && `&cursor=${cursor}`}`)).body;
    walked.push(...next.deadLetters.map(({ id }: DeadLetter) => id));
    cursor = next.pagination.nextCursor as string | null; // as the contract says
  }
  expect(walked).toHaveLength(1_203);
  expect(walked.slice(3)).toEqual(letters.get('subscriptions')?.map(({ id }) => id));
  expect(new Set(called.map(({ teamId }) => teamId))).toEqual(new Set([team.teamId]));
  letters.clear();
});

it('returns 503 when a service is down, instead of leaving its letters out', async () => {
  const team = await newTeam();
  down = 'referrals';
  for (const [method, path, body] of [
    ['GET', ''],
    ['POST', '/retry', {}],
    ['POST', '/drop', {}],
    ['GET', '?service=referrals'],
    ['GET', `/dl_referrals_${'0'.repeat(32)}`],
  ] as const)
    expect(await team.call(method, path, body), path).toMatchObject({
      status: 503,
      body: { error: { code: 'unavailable' } },
    });
  // Others are not in the way of those that respond.
  expect((await team.call('GET', '?service=catalog')).status).toBe(200);
  down = undefined;
});

it('shows, retries and drops one letter by the service in its id', async () => {
  const team = await newTeam();
  const letter = newLetter('customers', Date.now());
  const retrying = newLetter('customers', Date.now(), { status: 'retrying' });
  letters.set('customers', [letter, retrying]);
  called.length = 0;
  expect((await team.call('GET', `/${letter.id}`)).body.deadLetter).toMatchObject({
    id: letter.id,
    data: { number: 1 },
  });
  expect(await team.call('POST', `/${letter.id}/retry`)).toMatchObject({ status: 202, body: { success: true } });
  expect(await team.call('POST', `/${retrying.id}/retry`)).toMatchObject({ status: 202, body: { success: true } });
  expect(await team.call('DELETE', `/${letter.id}`)).toMatchObject({ status: 200, body: { success: true } });
  expect(await team.call('DELETE', `/${retrying.id}`)).toMatchObject({
    status: 409,
    body: { error: { code: 'dead_letter_retrying' } },
  });
  expect(new Set(called.map(({ service }) => service))).toEqual(new Set(['customers']));
  for (const [method, suffix] of [
    ['GET', ''],
    ['DELETE', ''],
    ['POST', '/retry'],
  ] as const)
    expect(await team.call(method, `/dl_customers_${'0'.repeat(32)}${suffix}`)).toMatchObject({
      status: 404,
      body: { error: { code: 'dead_letter_not_found' } },
    });
  expect((await team.call('GET', '/dl_nowhere_00000000000000000000000000000000')).status).toBe(400);
  letters.clear();
});

it('retries and drops its own letters, of one team only, and records it', async () => {
  const [team, other] = [await newTeam(), await newTeam()];
  await team.addOwn(new Date());
  await other.addOwn(new Date());
  const [own] = (await team.call('GET', '?service=gateway')).body.deadLetters;
  expect(own).toMatchObject({
    consumer: 'gateway-audit-log',
    error: 'an unexpected error on our side; the log has it',
  });
  for (const [method, suffix] of [
    ['GET', ''],
    ['DELETE', ''],
    ['POST', '/retry'],
  ] as const)
    expect((await other.call(method, `/${own.id}${suffix}`)).status).toBe(404);

  expect((await other.call('POST', '/drop', { service: 'gateway' })).body).toEqual({ dropped: 1 });
  expect((await other.call('POST', '/drop', {})).body).toEqual({ dropped: 0 });
  expect((await team.call('GET', '')).body.pagination.total).toBe(1);
  expect((await team.call('DELETE', `/${own.id}`)).status).toBe(200);
  expect((await team.call('GET', '')).body.pagination.total).toBe(0);

  const log = async (of: typeof team) =>
    (await of.owner.call('GET', `${of.teamPath}/audit-log`)).body.entries.map(
      ({ action, target, changes }: Record<string, unknown>) => ({ action, target, changes }),
    );
  const status = { field: 'status', from: 'failed', to: 'dropped' };
  await expect
    .poll(() => log(team))
    .toContainEqual({
      action: 'dropDeadLetter',
      target: { type: 'dead_letter', id: own.id, name: null },
      changes: [status],
    });
  const ofFilter = { action: 'dropDeadLetters', target: { type: 'team', id: other.teamId, name: expect.any(String) } };
  await expect
    .poll(() => log(other))
    .toContainEqual({
      ...ofFilter,
      changes: [status, { field: 'count', from: null, to: 1 }, { field: 'service', from: 'gateway', to: 'gateway' }],
    });
  expect(await log(other)).toContainEqual({ ...ofFilter, changes: [] });
});

it('lets owners in, but no members and no keys', async () => {
  const team = await newTeam();
  const member = await gateway.signUp();
  await gateway.addMember(team, member);
  const { bearer } = await team.createKey();
  const path = `${team.teamPath}/dead-letters`;
  for (const [method, suffix] of [
    ['GET', ''],
    ['POST', '/retry'],
    ['POST', '/drop'],
  ] as const) {
    const body = method === 'POST' ? {} : undefined;
    expect((await member.call(method, `${path}${suffix}`, body)).status).toBe(403);
    expect((await gateway.call(method, `${path}${suffix}`, { body, headers: bearer })).status).toBe(403);
  }
});
