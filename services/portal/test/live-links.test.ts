import { expect, it } from 'vitest';
import { CustomerId, PortalSessionId, ProjectId } from '@billing/contracts/ids';
import { startService, type Service } from './service.ts';

it('lists the links that work now, newest first, without their tokens', async () => {
  await using service = await startService();
  const [first, expired, revoked, last] = [
    await service.portalLink(),
    await service.portalLink(),
    await service.portalLink(),
    await service.portalLink({ returnUrl: 'https://shop.example/account' }),
  ];
  await expire(service, expired.sessionId);
  await revoke(service, revoked.sessionId);

  const listed = await list(service);
  expect(listed.json()).toEqual({
    sessions: [
      {
        sessionId: last.sessionId,
        customerId: service.customerId,
        returnUrl: 'https://shop.example/account',
        createdAt: expect.any(String),
        expiresAt: last.expiresAt,
      },
      expect.objectContaining({ sessionId: first.sessionId, returnUrl: null }),
    ],
    pagination: { limit: 50, offset: 0, total: 2, hasMore: false },
  });
  for (const { token } of [first, expired, revoked, last]) expect(listed.body).not.toContain(token);

  const page = await list(service, '?limit=1&offset=1');
  expect(page.json()).toMatchObject({
    sessions: [{ sessionId: first.sessionId }],
    pagination: { total: 2, hasMore: false },
  });
});

it('lists the links of one customer, and none of another project', async () => {
  await using service = await startService();
  const { sessionId } = await service.portalLink();
  expect((await list(service, `?customerId=${service.customerId}`)).json()).toMatchObject({
    sessions: [{ sessionId }],
  });
  expect((await list(service, `?customerId=${CustomerId.create()}`)).json()).toMatchObject({ sessions: [] });
  expect((await list(service, '?customerId=')).statusCode).toBe(400);
  const elsewhere = { ...service.scope, projectId: ProjectId.create() };
  expect((await list(service, '', elsewhere)).json()).toMatchObject({ sessions: [], pagination: { total: 0 } });
});

it('revokes a link at once, and again without a change', async () => {
  await using service = await startService();
  const { token, sessionId } = await service.portalLink();
  const other = await service.portalLink();

  const revoked = await revoke(service, sessionId);
  expect(revoked.statusCode).toBe(200);
  expect(revoked.json()).toEqual({ success: true });
  expect((await service.visit(token)).statusCode).toBe(404);
  expect((await service.visit(other.token)).statusCode).toBe(200);

  const endedAt = () => service.database.em.execute('select revoked_at from portal_sessions where id = ?', [sessionId]);
  const before = await endedAt();
  expect((await revoke(service, sessionId)).statusCode).toBe(200);
  expect(await endedAt()).toEqual(before);
});

it('revokes no link of another project, and says so as of one that never was', async () => {
  await using service = await startService();
  const { token, sessionId } = await service.portalLink();
  const elsewhere = { ...service.scope, projectId: ProjectId.create() };
  const answers = [await revoke(service, sessionId, elsewhere), await revoke(service, PortalSessionId.create())];
  for (const { statusCode, json } of answers) {
    expect(statusCode).toBe(404);
    expect(json()).toMatchObject({ error: { code: 'portal_session_not_found' } });
  }
  expect((await service.visit(token)).statusCode).toBe(200);
});

it('wants a scope to read for the list, and one to write for revoking', async () => {
  await using service = await startService();
  const { sessionId } = await service.portalLink();
  const { scope, identity } = service;
  const refused = await service.app.inject({
    method: 'GET',
    url: pathOf(scope),
    headers: identity.asKey({ ...scope, scopes: ['subscriptions:write'] }),
  });
  expect(refused.json()).toMatchObject({ error: { details: { requiredScope: 'subscriptions:read' } } });
  const kept = await service.app.inject({
    method: 'DELETE',
    url: `${pathOf(scope)}/${sessionId}`,
    headers: identity.asKey({ ...scope, scopes: ['subscriptions:read'] }),
  });
  expect(kept.json()).toMatchObject({ error: { details: { requiredScope: 'subscriptions:write' } } });
});

type Scope = Service['scope'];

const pathOf = ({ teamId, projectId }: Scope) => `/api/service/teams/${teamId}/projects/${projectId}/portal/sessions`;

const list = ({ app, identity, scope: own }: Service, query = '', scope: Scope = own) =>
  app.inject({ method: 'GET', url: `${pathOf(scope)}${query}`, headers: identity.asKey(scope) });

const revoke = ({ app, identity, scope: own }: Service, sessionId: string, scope: Scope = own) =>
  app.inject({ method: 'DELETE', url: `${pathOf(scope)}/${sessionId}`, headers: identity.asKey(scope) });

const expire = ({ database }: Service, sessionId: string) =>
  database.em.execute('update portal_sessions set expires_at = clock_timestamp() where id = ?', [sessionId]);
