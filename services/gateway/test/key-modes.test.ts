import { ProcessorAccountChanged } from '@billing/contracts/events/webhooks';
import { TeamId } from '@billing/contracts/ids';
import { newEvent } from '@billing/testing/events';
import { waitFor } from '@billing/testing/wait-for';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startGateway, type Gateway } from './start-gateway.ts';

let gateway: Gateway;
beforeAll(async () => void (gateway = await startGateway()));
afterAll(() => gateway[Symbol.asyncDispose]());

const change = (teamId: string, version: number, livemode: boolean) =>
  gateway.deliver(
    newEvent(ProcessorAccountChanged, TeamId.schema.parse(teamId), { version, livemode, accountId: 'acct_1' }),
  );

/** A tenant with a key, and functions that use it. */
async function newTenant() {
  const tenant = await gateway.createTenant();
  const key = await tenant.createKey();
  const use = async (headers: object = key.bearer) => {
    const { status, body } = await gateway.call('GET', `${tenant.path}/products`, { headers: { ...headers } });
    return [status, body.error?.code];
  };
  /** What the key gets, once the gateway has looked it up again. */
  const becomes = (status: number) =>
    waitFor(async () => (await use())[0] === status, { what: `the key to get ${status}` });
  return { ...tenant, key, use, becomes };
}

describe('a test key', () => {
  it('S43: is refused when the team connects a live account, and works again on a test account', async () => {
    const { teamId, use, becomes } = await newTenant();
    expect(await use()).toEqual([200, undefined]);
    await change(teamId, 1, true);
    await becomes(403);
    expect(await use()).toEqual([403, 'test_key_on_live_account']);
    await change(teamId, 2, false);
    await becomes(200);
  });

  it('S43: stays refused when older changes of the account come late or again', async () => {
    const { teamId, use, becomes } = await newTenant();
    await change(teamId, 2, true);
    await change(teamId, 1, false);
    await change(teamId, 2, true);
    await becomes(403);
    const fresh = await newTenant();
    expect(await fresh.use()).toEqual([200, undefined]);
    expect(await use()).toEqual([403, 'test_key_on_live_account']);
  });

  it('is replaced by rotation with a live key, and its old secret does not work any more', async () => {
    const { teamId, path, owner, key, use, becomes } = await newTenant();
    await change(teamId, 1, true);
    await becomes(403);
    const { body } = await owner.call('POST', `${path}/api-keys/${key.id}/rotate`, { overlapMs: 60_000 });
    expect(body.secret).toMatch(/^bil_live_/);
    expect(await use({ authorization: `Bearer ${body.secret}` })).toEqual([200, undefined]);
    await becomes(403);
  });
});

it.each([
  [true, 'bil_live_'],
  [false, 'bil_test_'],
])('gives new keys the prefix of an account with livemode %s', async (livemode, prefix) => {
  const { teamId, path, owner, createKey, use } = await newTenant();
  await change(teamId, 1, livemode);
  const { secret, bearer } = await createKey();
  expect(secret.slice(0, 9)).toBe(prefix);
  expect(await use(bearer)).toEqual([200, undefined]);

  const once = { 'idempotency-key': `${teamId}-once`, cookie: owner.cookie };
  const create = () =>
    gateway.call('POST', `${path}/api-keys`, { headers: once, body: { name: 'once', scopes: ['products:read'] } });
  const [first, second] = [await create(), await create()];
  expect([second.body.secret, second.body.apiKey.id]).toEqual([first.body.secret, first.body.apiKey.id]);
});
