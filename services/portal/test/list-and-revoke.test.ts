import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { CustomerId, PortalSessionId, ProjectId } from '@billing/contracts/ids';
import { startService, type Service } from './start-service.ts';

it('S7: lists the links that work now, newest first and without tokens', async () => {
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

const SUBSCRIPTION = 'subscriptions/ps_00000000000000000000';
/** What can be tried with a token. */
const ENTRANCES = [
  ['GET', '/portal/TOKEN'],
  ['GET', '/portal/TOKEN?tab=invoices'],
  ['GET', `/portal/TOKEN/${SUBSCRIPTION}/cancel`],
  ['POST', `/portal/TOKEN/${SUBSCRIPTION}/cancel`],
  ['GET', `/portal/TOKEN/${SUBSCRIPTION}/change/preview`],
  ['POST', `/portal/TOKEN/${SUBSCRIPTION}/change`],
  ['POST', '/portal/TOKEN/payment-method'],
  ['DELETE', `/api/portal/TOKEN/${SUBSCRIPTION}/change`],
  ['POST', '/api/portal/TOKEN/setup-intent'],
  ['PATCH', `/api/portal/TOKEN/${SUBSCRIPTION}`],
] as const;

/** Texts like a token, none of which is one. */
function alterations(token: string): string[] {
  const letter = /[a-z]/i.exec(token)?.[0] ?? '';
  const flipped = letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase();
  const bytes = Buffer.from(token, 'base64url');
  // 43 characters hold two bits more than 32 bytes, so another last one may stand for the same bytes.
  const twins = Array.from('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_')
    .map(last => token.slice(0, -1) + last)
    .filter(text => Buffer.from(text, 'base64url').equals(bytes));
  const cut = [1, 10, 22, 42].map(length => token.slice(0, length));
  const changed = [token.replace(letter, flipped), token.toUpperCase(), token.toLowerCase(), token + token];
  const encoded = [bytes.toString('hex'), encodeURIComponent(bytes.toString('base64').replaceAll('/', '_'))];
  const longer = [`${token}A`, `A${token}`, `${token}=`, `${token}.`, token.slice(1)];
  const others = ['A'.repeat(43), '_'.repeat(43), '-', 'null', 'undefined', '*', 'short'];
  const reversed = Array.from(token).toReversed().join('');
  const all = [...cut, ...changed, ...encoded, ...longer, ...twins, reversed, ...others];
  return all.filter(text => text !== token);
}

it('S7: a guessed, altered, revoked, expired or deleted customer’s link gets the same 404 in every way in', async () => {
  await using service = await startService();
  const [good, revoked, expired] = [await service.createLink(), await service.createLink(), await service.createLink()];
  await revoke(service, revoked.sessionId);
  await expire(service, expired.sessionId);
  const guesses = Array.from({ length: 20 }, () => randomBytes(32).toString('base64url'));
  const enter = async ([method, path]: (typeof ENTRANCES)[number], token: string) => {
    const { statusCode, headers, body } = await service.app.inject({
      method,
      url: path.replace('TOKEN', token),
      headers: { ...service.identity.anonymous(), 'x-request-id': 'the-same' },
      ...(method === 'PATCH' && { payload: { cancelAtPeriodEnd: true } }),
    });
    const { date: _, 'content-security-policy': policy, ...others } = headers;
    return { statusCode, others, hasPolicy: policy !== undefined, text: body.replaceAll(/nonce="[^"]+"/g, '') };
  };
  const bad = [...guesses, revoked.token, expired.token, ...alterations(good.token)];
  for (const entrance of ENTRANCES) {
    const [first, ...rest] = await Promise.all(bad.map(token => enter(entrance, token)));
    expect(first, entrance.join(' ')).toMatchObject({
      statusCode: 404,
      others: { 'cache-control': 'no-store', 'referrer-policy': 'no-referrer', 'x-robots-tag': 'noindex' },
      text: expect.stringMatching(/This link has expired|portal_link_expired/),
    });
    for (const [index, seen] of rest.entries()) expect(seen, `${entrance.join(' ')} ${bad[index + 1]}`).toEqual(first);
  }
  expect((await service.visit(good.token)).statusCode).toBe(200);
  await service.run();
  await service.emit(service.customerDeleted());
  const gone = await enter(ENTRANCES[0], good.token);
  expect(gone).toEqual(await enter(ENTRANCES[0], guesses[0] ?? ''));
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
