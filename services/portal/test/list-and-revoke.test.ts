import { expect, it } from 'vitest';
import { CustomerId, PortalSessionId, ProjectId } from '@billing/contracts/ids';
import { startService, type Service } from './start-service.ts';

it('lists the links that work now, newest first and without tokens', async () => {
  await using service = await startService();
  const [first, expired, revoked, last] = [
    await service.createLink(),
    await service.createLink(),
    await service.createLink(),
    await service.createLink({ returnUrl: 'https://shop.example/account' }),
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
        locale: null,
        createdAt: expect.any(String),
        expiresAt: last.expiresAt,
      },
      expect.objectContaining({ sessionId: first.sessionId, returnUrl: null }),
    ],
    pagination: { limit: 50, offset: 0, total: 2, hasMore: false, totalIsExact: true, nextCursor: null },
  });
  for (const { token } of [first, expired, revoked, last]) expect(listed.body).not.toContain(token);

  const page = await list(service, '?limit=1&offset=1');
  expect(page.json()).toMatchObject({
    sessions: [{ sessionId: first.sessionId }],
    pagination: { total: 2, hasMore: false },
  });
});

it('filters by customer and lists nothing of another project', async () => {
  await using service = await startService();
  const { sessionId } = await service.createLink();
  expect((await list(service, `?customerId=${service.customerId}`)).json()).toMatchObject({
    sessions: [{ sessionId }],
  });
  expect((await list(service, `?customerId=${CustomerId.create()}`)).json()).toMatchObject({ sessions: [] });
  expect((await list(service, '?customerId=')).statusCode).toBe(400);
  const otherProject = { ...service.scope, projectId: ProjectId.create() };
  expect((await list(service, '', otherProject)).json()).toMatchObject({ sessions: [], pagination: { total: 0 } });
});

it('revokes a link at once; a second time changes nothing', async () => {
  await using service = await startService();
  const { token, sessionId } = await service.createLink();
  const other = await service.createLink();

  const revoked = await revoke(service, sessionId);
  expect(revoked.statusCode).toBe(200);
  expect(revoked.json()).toEqual({ success: true });
  expect((await service.visit(token)).statusCode).toBe(404);
  expect((await service.visit(other.token)).statusCode).toBe(200);

  const revokedAt = () =>
    service.database.em.execute('select revoked_at from portal_sessions where id = ?', [sessionId]);
  const before = await revokedAt();
  expect((await revoke(service, sessionId)).statusCode).toBe(200);
  expect(await revokedAt()).toEqual(before);
});

it('responds to another project’s link as to an unknown one', async () => {
  await using service = await startService();
  const { token, sessionId } = await service.createLink();
  const otherProject = { ...service.scope, projectId: ProjectId.create() };
  const responses = [await revoke(service, sessionId, otherProject), await revoke(service, PortalSessionId.create())];
  for (const { statusCode, json } of responses) {
    expect(statusCode).toBe(404);
    expect(json()).toMatchObject({ error: { code: 'portal_session_not_found' } });
  }
  expect((await service.visit(token)).statusCode).toBe(200);
});

it('requires subscriptions:read to list and subscriptions:write to revoke', async () => {
  await using service = await startService();
  const { sessionId } = await service.createLink();
  const { scope, identity } = service;
  const refused = await service.app.inject({
    method: 'GET',
    url: pathOf(scope),
    headers: identity.asKey({ ...scope, scopes: ['subscriptions:write'] }),
  });
  expect(refused.json()).toMatchObject({ error: { details: { requiredScope: 'subscriptions:read' } } });
  const notRevoked = await service.app.inject({
    method: 'DELETE',
    url: `${pathOf(scope)}/${sessionId}`,
    headers: identity.asKey({ ...scope, scopes: ['subscriptions:read'] }),
  });
  expect(notRevoked.json()).toMatchObject({ error: { details: { requiredScope: 'subscriptions:write' } } });
});

type Scope = Service['scope'];

const pathOf = ({ teamId, projectId }: Scope) => `/api/service/teams/${teamId}/projects/${projectId}/portal/sessions`;

const list = ({ app, identity, scope: own }: Service, query = '', scope: Scope = own) =>
  app.inject({ method: 'GET', url: `${pathOf(scope)}${query}`, headers: identity.asKey(scope) });

const revoke = ({ app, identity, scope: own }: Service, sessionId: string, scope: Scope = own) =>
  app.inject({ method: 'DELETE', url: `${pathOf(scope)}/${sessionId}`, headers: identity.asKey(scope) });

const expire = ({ database }: Service, sessionId: string) =>
  database.em.execute('update portal_sessions set expires_at = clock_timestamp() where id = ?', [sessionId]);
