import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { CustomerId, ProjectId } from '@billing/contracts/ids';
import { PortalSession } from '../src/persistence/portal-session.entity.ts';
import { PUBLIC_URL, startService } from './start-service.ts';

it('S7: creates a link to the portal of a customer, with a token of 256 bits', async () => {
  await using service = await startService();
  const before = Date.now();
  const response = await service.createSession({ returnUrl: 'https://shop.example.com/account' });
  const after = Date.now();

  expect(response.statusCode).toBe(201);
  const { sessionId, token, portalUrl, expiresAt } = response.json<Record<string, string>>();
  expect(sessionId).toMatch(/^portal_sess_/);
  expect(token).toMatch(/^[0-9A-Za-z_-]{43}$/);
  expect(portalUrl).toBe(`${PUBLIC_URL}/portal/${token}`);
  const createdAt = Date.parse(expiresAt ?? '') - 3_600_000;
  expect(createdAt).toBeGreaterThanOrEqual(before);
  expect(createdAt).toBeLessThanOrEqual(after);
  expect((await service.visit(token ?? '')).statusCode).toBe(200);
  const others = await Promise.all(Array.from({ length: 20 }, () => service.createLink()));
  expect(new Set([token, ...others.map(link => link.token)].map(text => text?.slice(0, 8))).size).toBe(21);
});

it('stores only the hash of a token, and publishes nothing that contains it', async () => {
  await using service = await startService();
  const { token } = await service.createLink({ ttlMs: 60_000 });

  const { em } = service.database;
  const [session] = await em.fork().findAll(PortalSession);
  expect(session?.tokenHash).toBe(createHash('sha256').update(token).digest('hex'));
  expect(JSON.stringify(session)).not.toContain(token);
  expect(await service.published()).toEqual([]);
  expect(JSON.stringify(await em.execute('select * from outbox_messages'))).not.toContain(token);
});

it('creates no link for an unknown customer, nor through another project', async () => {
  await using service = await startService();
  const unknown = await service.createSession({ customerId: CustomerId.create() });
  expect(unknown.statusCode).toBe(404);
  expect(unknown.json()).toMatchObject({ error: { code: 'customer_not_found' } });

  const other = { teamId: service.scope.teamId, projectId: ProjectId.create() };
  const foreign = await service.app.inject({
    method: 'POST',
    url: `/api/service/teams/${other.teamId}/projects/${other.projectId}/portal`,
    payload: { customerId: service.customerId },
    headers: service.identity.asKey(other),
  });
  expect(foreign.json()).toMatchObject({ error: { code: 'customer_not_found' } });
});

it('returns the same link for a repeated Idempotency-Key without storing its token', async () => {
  await using service = await startService();
  const sameKey = { 'idempotency-key': 'order-1' };
  const concurrent = await Promise.all([service.createSession({}, sameKey), service.createSession({}, sameKey)]);
  const first = concurrent.find(({ statusCode }) => statusCode === 201);
  const repeated = await service.createSession({}, sameKey);
  const { token } = repeated.json<{ token: string }>();

  expect(repeated.statusCode).toBe(201);
  expect(repeated.headers['idempotent-replayed']).toBe('true');
  expect(repeated.json()).toEqual(first?.json());
  expect((await service.visit(token)).statusCode).toBe(200);
  const { em } = service.database;
  expect(await em.fork().count(PortalSession)).toBe(1);
  const stored = await em.execute<object[]>('select * from idempotent_requests');
  expect(stored).toHaveLength(1);
  expect(JSON.stringify(stored)).not.toContain(token);
});

it('returns the same refusal for a repeated Idempotency-Key', async () => {
  await using service = await startService();
  const { customer } = service.otherServices;
  service.otherServices.customer = null;
  const key = { 'idempotency-key': 'order-1' };
  const refused = await service.createSession({}, key);
  expect([refused.statusCode, refused.headers['idempotent-replayed']]).toEqual([404, undefined]);
  service.otherServices.customer = customer;
  const repeated = await service.createSession({}, key);
  expect([repeated.statusCode, repeated.headers['idempotent-replayed']]).toEqual([404, 'true']);
  expect(repeated.body).toBe(refused.body);
  expect((await service.createSession({}, { 'idempotency-key': 'order-2' })).statusCode).toBe(201);
});

it('rejects an Idempotency-Key reused for another request, and gives another key another link', async () => {
  await using service = await startService();
  const first = await service.createSession({}, { 'idempotency-key': 'order-1' });
  const reused = await service.createSession({ ttlMs: 5 }, { 'idempotency-key': 'order-1' });
  expect(reused.json()).toMatchObject({ error: { code: 'idempotency_key_reused' } });
  const other = await service.createSession({}, { 'idempotency-key': 'order-2' });
  expect(other.statusCode).toBe(201);
  expect(other.json<{ token: string }>().token).not.toBe(first.json<{ token: string }>().token);
});

it.each([
  { ttlMs: 0 },
  { ttlMs: -1 },
  { ttlMs: -0.5 },
  { ttlMs: 1.5 },
  { ttlMs: '' },
  { ttlMs: true },
  { ttlMs: [1_000] },
  { ttlMs: {} },
  { ttlMs: 'Infinity' },
  { ttlMs: 2_592_000_001 },
  { ttlMs: '60000' },
  { returnUrl: 'javascript:alert(1)' },
  { returnUrl: 'https://user:pass@example.com/' },
  { customerId: 'pc_short' },
  { colour: 'red' },
])('S7: rejects %j and names the field', async payload => {
  await using service = await startService();
  const response = await service.createSession(payload);
  expect(response.statusCode).toBe(400);
  expect(response.json()).toMatchObject({
    error: { code: 'validation_error', details: { fields: [{ path: Object.keys(payload)[0] }] } },
  });
});

it('builds links from PUBLIC_URL, whatever host the request names', async () => {
  await using service = await startService();
  const forged = { host: 'evil.example', 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'http' };
  const response = await service.createSession({}, forged);
  expect(response.json<{ portalUrl: string }>().portalUrl).toMatch(/^https:\/\/billing\.example\.com\/portal\//);
});

it('requires the scope subscriptions:write', async () => {
  await using service = await startService();
  const reader = service.identity.asKey({ ...service.scope, scopes: ['subscriptions:read'] });
  const response = await service.createSession({}, reader);
  expect(response.statusCode).toBe(403);
  expect(response.json()).toMatchObject({ error: { details: { requiredScope: 'subscriptions:write' } } });
});

it('makes no more working links of a customer than a thousand', async () => {
  await using service = await startService();
  await service.createLink();
  await service.database.em.execute(
    `insert into portal_sessions
     select (jsonb_populate_record(one, jsonb_build_object('id', 'portal_sess_' || n, 'token_hash', n))).*
       from portal_sessions one, generate_series(1, 998) n`,
  );
  const statuses = (await Promise.all([1, 2, 3].map(() => service.createSession()))).map(
    response => response.statusCode,
  );
  expect(statuses.toSorted((a, b) => a - b)).toEqual([201, 422, 422]);
  await service.database.em.execute(`update portal_sessions set expires_at = now() where token_hash = '1'`);
  expect((await service.createSession()).statusCode).toBe(201);
  expect((await service.createSession()).json()).toMatchObject({
    error: { code: 'quota_exceeded', details: { quota: 'portal_sessions', limit: 1_000 } },
  });
});
