import { expect, it } from 'vitest';
import { BillingClient, BillingError } from '../src/index.ts';
import { answering } from './answering.ts';

it('sends the key, the path below the project, and a body with an idempotency key', async () => {
  await using service = await answering([{ status: 201, body: { customer: { id: 'pc_1' } } }]);
  expect(await service.client.customers.create({ email: 'ada@example.com' })).toEqual({ id: 'pc_1' });
  expect(service.seen).toMatchObject([
    {
      method: 'POST',
      url: '/api/service/teams/team_1/projects/proj_1/customers',
      headers: { authorization: 'Bearer bil_test_1', 'idempotency-key': expect.stringMatching(/^[0-9a-f-]{36}$/) },
      body: '{"email":"ada@example.com"}',
    },
  ]);
});

it('repeats a call whose answer was lost under the same idempotency key', async () => {
  await using service = await answering([
    'drop',
    { status: 503, headers: { 'retry-after': '0' } },
    { status: 201, body: { product: { id: 'pp_1' } } },
  ]);
  await service.client.products.create({ name: 'Pro' }, { idempotencyKey: 'mine' });
  expect(service.seen.map(({ headers }) => headers['idempotency-key'])).toEqual(['mine', 'mine', 'mine']);
});

it('does not repeat what the service refused, and tells why in one error class', async () => {
  const error = { code: 'customer_email_taken', message: 'Taken.', requestId: 'req_1', details: { field: 'email' } };
  await using service = await answering([{ status: 409, body: { error } }]);
  const failure = await service.client.customers.create({ email: 'ada@example.com' }).catch((err: unknown) => err);
  expect(failure).toBeInstanceOf(BillingError);
  expect(failure).toMatchObject({ ...error, status: 409 });
  expect(service.seen).toHaveLength(1);
});

it('gives up after its retries', async () => {
  await using service = await answering(['drop', 'drop', 'drop', 'drop']);
  await expect(service.client.analytics.get()).rejects.toMatchObject({ status: 0, code: 'connection_failed' });
  expect(service.seen).toHaveLength(3);
});

it('gives up at once when told to wait longer than a minute, and says how long', async () => {
  const error = { code: 'rate_limited', message: 'Too many requests.', requestId: 'req_1' };
  await using service = await answering([{ status: 429, headers: { 'retry-after': '61' }, body: { error } }]);
  await expect(service.client.customers.get('pc_1')).rejects.toMatchObject({ status: 429, retryAfterSeconds: 61 });
  expect(service.seen).toHaveLength(1);
});

it('waits until a date a proxy names', async () => {
  const headers = { 'retry-after': new Date(Date.now() - 1_000).toUTCString() };
  await using service = await answering([
    { status: 503, headers },
    { status: 200, body: { id: 'pp_1' } },
  ]);
  expect(await service.client.products.get('pp_1')).toEqual({ id: 'pp_1' });
});

it('waits for its own first attempt, whose answer was lost, while that is still at work', async () => {
  const body = { error: { code: 'idempotency_key_in_use', message: 'In use.', requestId: 'req_1' } };
  const inUse = { status: 409, headers: { 'retry-after': '0' }, body };
  const made = { status: 201, body: { product: { id: 'pp_1' } } };
  await using service = await answering(['drop', inUse, inUse, inUse, inUse, made]);
  expect(await service.client.products.create({ name: 'Pro' })).toEqual({ id: 'pp_1' });
  expect(new Set(service.seen.map(({ headers }) => headers['idempotency-key']))).toHaveLength(1);
});

it('takes a repeated deletion of what is gone for done, but not the first one', async () => {
  const gone = { status: 404, body: { error: { code: 'customer_not_found', message: 'No.', requestId: 'req_1' } } };
  const ended = { status: 422, body: { error: { code: 'subscription_ended', message: 'No.', requestId: 'req_1' } } };
  await using service = await answering(['drop', gone, gone, 'drop', ended, ended]);
  await service.client.customers.delete('pc_1');
  await expect(service.client.customers.delete('pc_1')).rejects.toMatchObject({ code: 'customer_not_found' });
  expect(await service.client.subscriptions.cancelNow('ps_1')).toEqual({
    id: 'ps_1',
    status: 'canceled',
    cancelAtPeriodEnd: false,
  });
  await expect(service.client.subscriptions.cancelNow('ps_1')).rejects.toMatchObject({ code: 'subscription_ended' });
});

it.each([
  ['a success that is no JSON', { status: 200, text: '<html>', headers: {} }, 200],
  ['a failure that is not ours', { status: 500, text: '<html>', headers: { 'x-request-id': 'req_9' } }, 500],
])('names %s an unexpected answer', async (_what, reply, status) => {
  await using service = await answering([reply]);
  const failure = await service.client.analytics.get().catch((err: unknown) => err);
  expect(failure).toBeInstanceOf(BillingError);
  expect(failure).toMatchObject({
    status,
    code: 'unexpected_answer',
    requestId: new Headers(reply.headers).get('x-request-id') ?? undefined,
  });
});

it('tries again when the answer breaks off', async () => {
  await using service = await answering(['break off', { status: 200, body: { id: 'pp_1' } }]);
  expect(await service.client.products.get('pp_1')).toEqual({ id: 'pp_1' });
});

it('names every wrong field', async () => {
  const fields = [{ path: 'email', message: 'Expected an e-mail address.' }];
  const error = {
    code: 'validation_error',
    message: 'The request is not valid.',
    requestId: 'req_1',
    details: { fields },
  };
  await using service = await answering([{ status: 400, body: { error } }]);
  const failure = await service.client.customers.create({ email: '' }).catch((err: unknown) => err);
  expect(failure).toHaveProperty('fields', fields);
});

it('rejects with the reason of the signal that ends a call, also between two attempts', async () => {
  await using service = await answering(['never', { status: 503, headers: { 'retry-after': '30' } }]);
  for (const seen of [1, 2]) {
    const stop = new AbortController();
    const calling = service.client.customers.create({ email: 'ada@example.com' }, { signal: stop.signal });
    await expect.poll(() => service.seen).toHaveLength(seen);
    stop.abort(new Error('The visitor left.'));
    await expect(calling).rejects.toThrow('The visitor left.');
  }
  const never = AbortSignal.abort(new Error('Never mind.'));
  await expect(service.client.customers.list({}, { signal: never }).page()).rejects.toThrow('Never mind.');
  expect(service.seen).toHaveLength(2);
});

it('ends an attempt that takes too long', async () => {
  await using service = await answering(['never']);
  const calling = service.client.customers.get('pc_1', { timeoutMs: 50, maxRetries: 0 });
  await expect(calling).rejects.toMatchObject({ status: 0, code: 'timed_out' });
});

it('asks for nothing when an id is missing or would lead elsewhere', async () => {
  await using service = await answering([{ status: 404 }]);
  for (const id of ['', '.', '..'])
    await expect(async () => service.client.customers.delete(id)).rejects.toThrow('An id is needed');
  await expect(service.client.customers.get('../products/pp_1?x')).rejects.toThrow(BillingError);
  expect(service.seen.map(({ url }) => url)).toEqual([
    '/api/service/teams/team_1/projects/proj_1/customers/..%2Fproducts%2Fpp_1%3Fx',
  ]);
});

it('refuses an address that is none', () => {
  const open = () => new BillingClient({ baseUrl: 'billing', apiKey: 'k', teamId: 't', projectId: 'p' });
  expect(open).toThrow('baseUrl must be the http(s) address of the gateway, not "billing".');
});

it('reads a list page by page, and only as far as it is walked', async () => {
  const page = (ids: string[], hasMore: boolean) => ({
    status: 200,
    body: { customers: ids.map(id => ({ id })), pagination: { limit: 2, offset: 0, total: 5, hasMore } },
  });
  await using service = await answering([page(['a', 'b'], true), page(['c', 'd'], true), page(['e'], false)]);
  const ids: string[] = [];
  for await (const { id } of service.client.customers.list({ limit: 2 })) {
    ids.push(id);
    if (ids.length === 3) break;
  }
  expect(ids).toEqual(['a', 'b', 'c']);
  expect(service.seen.map(({ url }) => url?.split('?')[1])).toEqual(['limit=2&offset=0', 'limit=2&offset=2']);
});
