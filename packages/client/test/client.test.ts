import { expect, it } from 'vitest';
import { BillingClient, BillingError } from '../src/index.ts';
import { startScriptedServer } from './scripted-server.ts';

it('sends the API key, the project’s path, the body and an idempotency key', async () => {
  await using server = await startScriptedServer([{ status: 201, body: { customer: { id: 'pc_1' } } }]);
  expect(await server.client.customers.create({ email: 'ada@example.com' })).toEqual({ id: 'pc_1' });
  expect(server.requests).toMatchObject([
    {
      method: 'POST',
      url: '/api/service/teams/team_1/projects/proj_1/customers',
      headers: { authorization: 'Bearer bil_test_1', 'idempotency-key': expect.stringMatching(/^[0-9a-f-]{36}$/) },
      body: '{"email":"ada@example.com"}',
    },
  ]);
});

it('retries with the same idempotency key after a lost response', async () => {
  await using server = await startScriptedServer([
    'drop',
    { status: 503, headers: { 'retry-after': '0' } },
    { status: 201, body: { product: { id: 'pp_1' } } },
  ]);
  await server.client.products.create({ name: 'Pro' }, { idempotencyKey: 'mine' });
  expect(server.requests.map(({ headers }) => headers['idempotency-key'])).toEqual(['mine', 'mine', 'mine']);
});

it('tells before each retry why it waits, and how long', async () => {
  const told: unknown[] = [];
  const busy = { status: 503, headers: { 'retry-after': '0' } };
  await using server = await startScriptedServer([busy, 'drop', { status: 200, body: { id: 'pp_1' } }], {
    onRetry: ({ status }, pauseMs) => told.push([status, pauseMs]),
  });
  await server.client.products.get('pp_1');
  expect(told).toEqual([
    [503, 0],
    [0, expect.any(Number)],
  ]);
});

it('does not retry a rejected request, and throws a BillingError', async () => {
  const error = { code: 'customer_email_taken', message: 'Taken.', requestId: 'req_1', details: { field: 'email' } };
  await using server = await startScriptedServer([{ status: 409, body: { error } }]);
  const failure = await server.client.customers.create({ email: 'ada@example.com' }).catch((err: unknown) => err);
  expect(failure).toBeInstanceOf(BillingError);
  expect(failure).toMatchObject({ ...error, status: 409 });
  expect(server.requests).toHaveLength(1);
});

it('fails after its last retry', async () => {
  await using server = await startScriptedServer(['drop', 'drop', 'drop', 'drop']);
  await expect(server.client.analytics.get()).rejects.toMatchObject({ status: 0, code: 'connection_failed' });
  expect(server.requests).toHaveLength(3);
});

it('fails at once when Retry-After is longer than a minute', async () => {
  const error = { code: 'rate_limited', message: 'Too many requests.', requestId: 'req_1' };
  await using server = await startScriptedServer([{ status: 429, headers: { 'retry-after': '61' }, body: { error } }]);
  await expect(server.client.customers.get('pc_1')).rejects.toMatchObject({ status: 429, retryAfterSeconds: 61 });
  expect(server.requests).toHaveLength(1);
});

it('accepts a date as Retry-After', async () => {
  const headers = { 'retry-after': new Date(Date.now() - 1_000).toUTCString() };
  await using server = await startScriptedServer([
    { status: 503, headers },
    { status: 200, body: { id: 'pp_1' } },
  ]);
  expect(await server.client.products.get('pp_1')).toEqual({ id: 'pp_1' });
});

it('waits while its own first attempt, whose response was lost, is still running', async () => {
  const body = { error: { code: 'idempotency_key_in_use', message: 'In use.', requestId: 'req_1' } };
  const inUse = { status: 409, headers: { 'retry-after': '0' }, body };
  const created = { status: 201, body: { product: { id: 'pp_1' } } };
  await using server = await startScriptedServer(['drop', inUse, inUse, inUse, inUse, created]);
  expect(await server.client.products.create({ name: 'Pro' })).toEqual({ id: 'pp_1' });
  expect(new Set(server.requests.map(({ headers }) => headers['idempotency-key']))).toHaveLength(1);
});

it('accepts not-found from a retried deletion, but not from the first attempt', async () => {
  const notFound = { status: 404, body: { error: { code: 'customer_not_found', message: 'No.', requestId: 'req_1' } } };
  const ended = {
    status: 404,
    body: { error: { code: 'subscription_not_found', message: 'No.', requestId: 'req_1' } },
  };
  await using server = await startScriptedServer(['drop', notFound, notFound, 'drop', ended, ended]);
  await server.client.customers.delete('pc_1');
  await expect(server.client.customers.delete('pc_1')).rejects.toMatchObject({ code: 'customer_not_found' });
  expect(await server.client.subscriptions.cancelNow('ps_1')).toEqual({
    id: 'ps_1',
    status: 'canceled',
    cancelAtPeriodEnd: false,
    invoices: [],
  });
  await expect(server.client.subscriptions.cancelNow('ps_1')).rejects.toMatchObject({ code: 'subscription_not_found' });
});

it('accepts from a retry that the change is gone, and returns the subscription', async () => {
  const gone = { status: 404, body: { error: { code: 'change_not_found', message: 'No.', requestId: 'req_1' } } };
  const found = { status: 200, body: { subscription: { id: 'ps_1' } } };
  await using server = await startScriptedServer(['drop', gone, found, gone]);
  expect(await server.client.subscriptions.dropChange('ps_1')).toEqual({ id: 'ps_1' });
  await expect(server.client.subscriptions.dropChange('ps_1')).rejects.toMatchObject({ code: 'change_not_found' });
});

it('says by its code what the details of an error are', async () => {
  const details = { expected: 2113, actual: 2150 };
  const error = { code: 'amount_changed', message: 'It costs more.', requestId: 'req_1', details };
  await using server = await startScriptedServer([{ status: 409, body: { error } }]);
  const failure = await server.client.subscriptions.change('ps_1', { quantity: 8 }).catch((err: unknown) => err);
  if (!(failure instanceof BillingError) || !failure.is('amount_changed')) throw failure;
  expect(failure.details.actual - failure.details.expected).toBe(37);
  expect(failure.is('payment_failed')).toBe(false);
});

it.each([
  ['a success without JSON', { status: 200, text: '<html>', headers: {} }, 200],
  ['a failure without an error body', { status: 500, text: '<html>', headers: { 'x-request-id': 'req_9' } }, 500],
])('reports %s as unexpected_response', async (_what, reply, status) => {
  await using server = await startScriptedServer([reply]);
  const failure = await server.client.analytics.get().catch((err: unknown) => err);
  expect(failure).toBeInstanceOf(BillingError);
  expect(failure).toMatchObject({
    status,
    code: 'unexpected_response',
    requestId: new Headers(reply.headers).get('x-request-id') ?? undefined,
  });
});

it('retries when the response breaks off', async () => {
  await using server = await startScriptedServer(['break off', { status: 200, body: { id: 'pp_1' } }]);
  expect(await server.client.products.get('pp_1')).toEqual({ id: 'pp_1' });
});

it('lists every invalid field', async () => {
  const fields = [{ path: 'email', message: 'Expected an e-mail address.' }];
  const error = {
    code: 'validation_error',
    message: 'The request is not valid.',
    requestId: 'req_1',
    details: { fields },
  };
  await using server = await startScriptedServer([{ status: 400, body: { error } }]);
  const failure = await server.client.customers.create({ email: '' }).catch((err: unknown) => err);
  expect(failure).toHaveProperty('fields', fields);
});

it('rejects with the signal’s reason, during an attempt and between attempts', async () => {
  await using server = await startScriptedServer(['never', { status: 503, headers: { 'retry-after': '30' } }]);
  for (const count of [1, 2]) {
    const controller = new AbortController();
    const calling = server.client.customers.create({ email: 'ada@example.com' }, { signal: controller.signal });
    await expect.poll(() => server.requests).toHaveLength(count);
    controller.abort(new Error('The visitor left.'));
    await expect(calling).rejects.toThrow('The visitor left.');
  }
  const aborted = AbortSignal.abort(new Error('Never mind.'));
  await expect(server.client.customers.list({}, { signal: aborted }).page()).rejects.toThrow('Never mind.');
  expect(server.requests).toHaveLength(2);
});

it('times out an attempt that takes too long', async () => {
  await using server = await startScriptedServer(['never']);
  const calling = server.client.customers.get('pc_1', { timeoutMs: 50, maxRetries: 0 });
  await expect(calling).rejects.toMatchObject({ status: 0, code: 'timed_out' });
});

it('sends nothing for an empty, missing or relative id, and escapes other ids', async () => {
  await using server = await startScriptedServer([{ status: 404 }]);
  for (const id of ['', '.', '..'])
    await expect(async () => server.client.customers.delete(id)).rejects.toThrow('An id is needed');
  const { externalId } = {} as { externalId: string }; // as JavaScript has it from a user without one
  await expect(async () => server.client.entitlements({ externalId })).rejects.toThrow('not "undefined"');
  await expect(async () => server.client.states.get({ externalId })).rejects.toThrow('not "undefined"');
  await expect(server.client.customers.get('../products/pp_1?x')).rejects.toThrow(BillingError);
  expect(server.requests.map(({ url }) => url)).toEqual([
    '/api/service/teams/team_1/projects/proj_1/customers/..%2Fproducts%2Fpp_1%3Fx',
  ]);
});

it('rejects a baseUrl that is not an address', () => {
  const open = () => new BillingClient({ baseUrl: 'billing', apiKey: 'k', teamId: 't', projectId: 'p' });
  expect(open).toThrow('baseUrl must be the http(s) address of the gateway, not "billing".');
});

it('fetches the pages of a list only as far as it is iterated', async () => {
  const page = (ids: string[], nextCursor: string | null) => {
    const pagination = { limit: 2, offset: 0, total: 5, totalIsExact: true, hasMore: nextCursor !== null, nextCursor };
    return { status: 200, body: { customers: ids.map(id => ({ id })), pagination } };
  };
  await using server = await startScriptedServer([page(['a', 'b'], 'b1'), page(['c', 'd'], 'd1'), page(['e'], null)]);
  const ids: string[] = [];
  for await (const { id } of server.client.customers.list({ limit: 2, offset: 3, createdAfter: new Date(0) })) {
    ids.push(id);
    if (ids.length === 3) break;
  }
  expect(ids).toEqual(['a', 'b', 'c']);
  expect(server.requests.map(({ url }) => url?.split('?')[1])).toEqual([
    'limit=2&offset=3&createdAfter=1970-01-01T00%3A00%3A00.000Z',
    'limit=2&createdAfter=1970-01-01T00%3A00%3A00.000Z&cursor=b1',
  ]);
});
