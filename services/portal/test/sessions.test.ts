import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { CustomerDeleted } from '@billing/contracts/events/customers';
import { PortalSessionCreated } from '@billing/contracts/events/portal';
import { envelope } from '@billing/contracts/event';
import { CustomerId, ProjectId } from '@billing/contracts/ids';
import { record, relayOnce } from '@billing/messaging/outbox';
import { waitFor } from '@billing/testing/wait-for';
import { forgetExpired } from '../src/operations/forget-expired.ts';
import { PortalSession } from '../src/persistence/portal-session.entity.ts';
import { PUBLIC_URL, startService, type Service } from './service.ts';

it('makes a link to the portal of a customer', async () => {
  await using service = await startService();
  const before = Date.now();
  const response = await service.openPortal({ returnUrl: 'https://shop.example.com/account' });
  const after = Date.now();

  expect(response.statusCode).toBe(201);
  const { sessionId, token, portalUrl, expiresAt } = response.json<Record<string, string>>();
  expect(sessionId).toMatch(/^portal_sess_/);
  expect(token).toMatch(/^[0-9A-Za-z_-]{43}$/);
  expect(portalUrl).toBe(`${PUBLIC_URL}/portal/${token}`);
  const openedAt = Date.parse(expiresAt ?? '') - 3_600_000;
  expect(openedAt).toBeGreaterThanOrEqual(before);
  expect(openedAt).toBeLessThanOrEqual(after);
  expect((await service.visit(token ?? '')).statusCode).toBe(200);
});

it('keeps only the hash of a token, and says nothing of it on the bus', async () => {
  await using service = await startService();
  const { token, sessionId } = await service.portalLink({ ttlMs: 60_000 });

  const session = await service.database.em.fork().findOneOrFail(PortalSession, { tokenHash: { $ne: '' } });
  expect(session.tokenHash).toBe(createHash('sha256').update(token).digest('hex'));
  expect(JSON.stringify(session)).not.toContain(token);

  const heard: unknown[] = [];
  await relayOnce(service.database.em, async (type, body) => {
    expect(body).not.toContain(token);
    if (type === PortalSessionCreated.name)
      heard.push(PortalSessionCreated.data.parse(envelope.parse(JSON.parse(body)).data));
  });
  const { projectId } = service.scope;
  expect(heard).toEqual([{ sessionId, projectId, customerId: service.customerId, expiresAt: session.expiresAt }]);
});

it('makes no link for a customer it does not have, nor through another project', async () => {
  await using service = await startService();
  const unknown = await service.openPortal({ customerId: CustomerId.create() });
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

it('answers the same link to a repeated Idempotency-Key, without keeping its token', async () => {
  await using service = await startService();
  const again = { 'idempotency-key': 'order-1' };
  const answers = await Promise.all([service.openPortal({}, again), service.openPortal({}, again)]);
  const first = answers.find(({ statusCode }) => statusCode === 201);
  const repeated = await service.openPortal({}, again);

  expect(repeated.statusCode).toBe(201);
  expect(repeated.headers['idempotent-replayed']).toBe('true');
  expect(repeated.json()).toEqual(first?.json());
  expect((await service.visit(repeated.json<{ token: string }>().token)).statusCode).toBe(200);
  const { em } = service.database;
  expect(await em.fork().count(PortalSession)).toBe(1);
  const [kept] = await em.execute<object[]>('select * from idempotent_requests');
  expect(JSON.stringify(kept)).not.toContain(repeated.json<{ token: string }>().token);

  const reused = await service.openPortal({ ttlMs: 5 }, again);
  expect(reused.json()).toMatchObject({ error: { code: 'idempotency_key_reused' } });
  const other = await service.openPortal({}, { 'idempotency-key': 'order-2' });
  expect(other.json()).not.toMatchObject({ token: repeated.json<{ token: string }>().token });
});

it.each([
  { ttlMs: 0 },
  { ttlMs: -1 },
  { ttlMs: 1.5 },
  { ttlMs: 2_592_000_001 },
  { ttlMs: '60000' },
  { returnUrl: 'javascript:alert(1)' },
  { returnUrl: 'https://user:pass@example.com/' },
  { customerId: 'pc_short' },
  { colour: 'red' },
])('refuses %j, naming the field', async payload => {
  await using service = await startService();
  const response = await service.openPortal(payload);
  expect(response.statusCode).toBe(400);
  expect(response.json()).toMatchObject({
    error: { code: 'validation_error', details: { fields: [{ path: Object.keys(payload)[0] }] } },
  });
});

it('makes links from its own address, whatever the request says of the host', async () => {
  await using service = await startService();
  const forged = { host: 'evil.example', 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'http' };
  const response = await service.openPortal({}, forged);
  expect(response.json<{ portalUrl: string }>().portalUrl).toMatch(/^https:\/\/billing\.example\.com\/portal\//);
});

it('wants the scope subscriptions:write, and the gateway’s statement of who asks', async () => {
  await using service = await startService();
  const reader = service.identity.asKey({ ...service.scope, scopes: ['subscriptions:read'] });
  const response = await service.openPortal({}, reader);
  expect(response.statusCode).toBe(403);
  expect(response.json()).toMatchObject({ error: { details: { requiredScope: 'subscriptions:write' } } });

  const unsigned = await service.app.inject({ method: 'GET', url: `/portal/${'A'.repeat(43)}` });
  expect(unsigned.statusCode).toBe(401);
});

it('ends a link when its time is up by the clock of the database', async () => {
  await using service = await startService();
  const { token } = await service.portalLink();
  expect((await service.visit(token)).statusCode).toBe(200);

  await service.database.em.execute(`update portal_sessions set expires_at = clock_timestamp() + interval '1 second'`);
  await waitFor(async () => (await service.visit(token)).statusCode === 404, { what: 'the link to expire' });
});

it('answers the same for links that are bad, malformed, expired, revoked, or of a customer who is gone', async () => {
  await using service = await startService();
  const [expired, revoked] = [await service.portalLink(), await service.portalLink()];
  const change = async (column: string, { sessionId }: { sessionId: string }) =>
    service.database.em.execute(`update portal_sessions set ${column} = clock_timestamp() where id = ?`, [sessionId]);
  await change('expires_at', expired);
  await change('revoked_at', revoked);
  const live = await service.portalLink();

  const tokens = [
    'A'.repeat(43),
    'short',
    live.token.slice(0, -1),
    live.token.toLowerCase(),
    `${live.token}=`,
    '%00',
    '<script>',
    expired.token,
    revoked.token,
  ];
  const answers = await Promise.all(tokens.map(async token => pageWithoutNonce(service, token)));
  service.neighbours.customer = null;
  answers.push(await pageWithoutNonce(service, live.token));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([404]));
  expect(new Set(answers.map(({ body }) => body)).size).toBe(1);
  expect(answers[0]?.body).toContain('This link has expired');
  expect(answers[0]?.body).not.toContain('Ada');

  const byApi = await Promise.all(
    tokens.map(token =>
      service.app.inject({
        method: 'POST',
        url: `/api/portal/${encodeURIComponent(token)}/setup-intent`,
        headers: { ...service.identity.anonymous(), 'x-request-id': 'same' },
      }),
    ),
  );
  expect(new Set(byApi.map(({ statusCode, body }) => `${statusCode} ${body}`)).size).toBe(1);
  expect(byApi[0]?.json()).toMatchObject({ error: { code: 'portal_link_expired' } });
});

it('ends the links of a customer who is deleted, however often and late it hears of that', async () => {
  await using service = await startService();
  const { token, sessionId } = await service.portalLink();
  const stop = await service.hearCustomers();
  const { em } = service.database;
  await em.fork().transactional(async tx => {
    record(tx, CustomerDeleted, service.scope.teamId, deletedCustomer(service));
    record(tx, CustomerDeleted, service.scope.teamId, deletedCustomer(service));
  });
  await relayOnce(em, service.bus.publish);

  await waitFor(async () => (await service.visit(token)).statusCode === 404, { what: 'the link to end' });
  const { revokedAt } = await em.fork().findOneOrFail(PortalSession, { id: sessionId });
  expect(revokedAt).toBeInstanceOf(Date);
  await stop();
});

it('ends no link of the same customer id in another project', async () => {
  await using service = await startService();
  const { token } = await service.portalLink();
  const inbox = service.customersReaction();
  const elsewhere = { ...deletedCustomer(service), projectId: ProjectId.create() };
  await inbox.receive(
    {
      id: crypto.randomUUID(),
      type: CustomerDeleted.name,
      teamId: service.scope.teamId,
      occurredAt: new Date(),
      data: CustomerDeleted.data.encode(elsewhere),
    },
    1,
  );
  expect((await service.visit(token)).statusCode).toBe(200);
});

it('lets nobody in while the customers service cannot be asked', async () => {
  await using service = await startService();
  const { token } = await service.portalLink();
  await service.silence('customers');
  const response = await service.visit(token);
  expect(response.statusCode).toBe(503);
  expect(response.headers['retry-after']).toBeDefined();
  expect(response.body).toContain('can’t be shown right now');
});

it('forgets links a week after they expired', async () => {
  await using service = await startService();
  const [old, recent] = [await service.portalLink(), await service.portalLink()];
  const { em } = service.database;
  await em.execute(`update portal_sessions set expires_at = now() - interval '8 days' where id = ?`, [old.sessionId]);
  await em.execute(`update portal_sessions set expires_at = now() - interval '6 days' where id = ?`, [
    recent.sessionId,
  ]);
  await forgetExpired(em);
  const left = await em.fork().findAll(PortalSession);
  expect(left.map(({ id }) => id)).toEqual([recent.sessionId]);
});

it('has migrations that lead to what the entities say', async () => {
  await using service = await startService();
  expect(await service.database.schema.getUpdateSchemaSQL()).toBe('');
});

async function pageWithoutNonce(service: Service, token: string) {
  const { statusCode: status, body } = await service.visit(encodeURIComponent(token));
  return { status, body: body.replaceAll(/nonce="[^"]+"/g, '') };
}

function deletedCustomer(service: Service) {
  return {
    id: service.customerId,
    projectId: service.scope.projectId,
    email: 'ada@example.com',
    name: null,
    processorCustomerId: service.processorCustomerId,
    version: 2,
    createdAt: new Date(),
    deletedAt: new Date(),
  };
}
