import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { withoutRequestId } from './http-client.ts';
import { startGateway, type Gateway } from './start-gateway.ts';
import { acceptPath } from './tenants.ts';

let gateway: Gateway;
beforeAll(async () => void (gateway = await startGateway()));
afterAll(() => gateway[Symbol.asyncDispose]());

const NOT_FOUND = { status: 404, body: { error: { code: 'invitation_not_found' } } };
const execute = (sql: string, ...values: string[]) => gateway.em.fork().execute(sql, values);

describe('an invitation', () => {
  it('S35: makes the invited user a member when they accept it, and not before', async () => {
    const { owner, teamPath, teamId } = await gateway.createTenant();
    const bob = await gateway.signUp();
    const invited = await owner.call('POST', `${teamPath}/members`, {
      email: ` ${bob.email.toUpperCase()} `,
      role: 'member',
    });
    const { invitation } = invited.body;
    expect(invited).toMatchObject({
      status: 202,
      body: { invitation: { id: expect.stringMatching(/^inv_/), email: bob.email, invitedBy: owner.userId } },
    });
    expect(Date.parse(invitation.expiresAt) - Date.parse(invitation.createdAt)).toBe(7 * 86_400_000);
    expect(invitation.url).toMatch(/^http:\/\/localhost:8080\/accept-invitation\?token=[\w-]{43}$/);
    expect((await bob.call('GET', `${teamPath}/projects`)).status).toBe(403);
    expect((await bob.call('GET', '/api/service/teams')).body.teams).toEqual([]);

    expect(await bob.call('POST', acceptPath(invitation.url))).toMatchObject({
      status: 200,
      body: { team: { id: teamId }, member: { userId: bob.userId, email: bob.email, role: 'member' } },
    });
    expect((await bob.call('GET', `${teamPath}/projects`)).status).toBe(200);
    expect(await owner.call('POST', `${teamPath}/members`, { email: bob.email, role: 'owner' })).toMatchObject({
      status: 409,
      body: { error: { code: 'member_exists' } },
    });
  });

  it('S35: looks the same for a known and an unknown address, and is accepted after signing up', async () => {
    const { owner, teamPath } = await gateway.createTenant();
    const known = await gateway.signUp();
    const invite = (email: string) => owner.call('POST', `${teamPath}/members`, { email, role: 'member' });
    const [one, other] = [await invite(known.email), await invite('new-colleague@example.com')];
    expect(Object.keys(other.body.invitation)).toEqual(Object.keys(one.body.invitation));
    expect(other.status).toBe(one.status);
    const colleague = await gateway.signUp('new-colleague@example.com');
    expect((await colleague.call('POST', acceptPath(other.body.invitation.url))).status).toBe(200);
  });

  it('S35: gets one and the same 404 when it is unknown, used, expired, withdrawn, replaced or for someone else', async () => {
    const { owner, teamPath } = await gateway.createTenant();
    const [bob, eve] = [await gateway.signUp(), await gateway.signUp()];
    const invite = async () => {
      const body = { email: bob.email, role: 'member' };
      const { invitation } = (await owner.call('POST', `${teamPath}/members`, body)).body;
      return { ...invitation, accept: acceptPath(invitation.url) };
    };
    const replaced = await invite();
    const withdrawn = await invite();
    await owner.call('DELETE', `${teamPath}/invitations/${withdrawn.id}`);
    const expired = await invite();
    await execute('update invitations set expires_at = now() where id = ?', expired.id);
    const used = await invite();

    const refused = [await eve.call('POST', used.accept)];
    expect((await bob.call('POST', used.accept)).status).toBe(200);
    for (const { accept } of [replaced, withdrawn, expired, used]) refused.push(await bob.call('POST', accept));
    for (const guess of ['unknown', used.id, used.invitedBy, 'A'.repeat(43)])
      refused.push(await bob.call('POST', acceptPath(`#${guess}`)));
    expect(refused[0]).toMatchObject(NOT_FOUND);
    expect(new Set(refused.map(withoutRequestId)).size).toBe(1);
    expect((await gateway.call('POST', used.accept)).status).toBe(401);
  });

  it('is accepted once by concurrent requests', async () => {
    const { owner, teamPath } = await gateway.createTenant();
    const bob = await gateway.signUp();
    const invited = await owner.call('POST', `${teamPath}/members`, { email: bob.email, role: 'member' });
    const accept = acceptPath(invited.body.invitation.url);
    const responses = await Promise.all(Array.from({ length: 8 }, () => bob.call('POST', accept)));
    expect(responses.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, ...Array(7).fill(404)]);
  });

  it('is listed and withdrawn by owners only, and its token is neither stored nor logged', async () => {
    const tenant = await gateway.createTenant();
    const { owner, teamPath } = tenant;
    const bob = await gateway.signUp();
    await gateway.addMember(tenant, bob);
    const invited = await owner.call('POST', `${teamPath}/members`, { email: 'lin@example.com', role: 'member' });
    const { url, ...invitation } = invited.body.invitation;
    expect((await owner.call('GET', `${teamPath}/invitations`)).body).toMatchObject({ invitations: [invitation] });
    const one = `${teamPath}/invitations/${invitation.id}`;
    for (const [method, path] of [
      ['GET', `${teamPath}/invitations`],
      ['DELETE', one],
      ['POST', `${teamPath}/members`],
    ] as const)
      expect(
        (await bob.call(method, path, method === 'POST' ? { email: 'x@example.com', role: 'member' } : undefined))
          .status,
      ).toBe(403);
    const other = await gateway.createTenant();
    expect(await other.owner.call('DELETE', `${other.teamPath}/invitations/${invitation.id}`)).toMatchObject(NOT_FOUND);

    await bob.call('POST', acceptPath(url));
    const rows = await execute('select * from invitations');
    expect(JSON.stringify(rows) + gateway.logLines.join('')).not.toContain(url.split('token=')[1]);
    expect(await owner.call('DELETE', one)).toMatchObject({ status: 200, body: { success: true } });
    expect(await owner.call('DELETE', one)).toMatchObject(NOT_FOUND);
    expect((await owner.call('GET', `${teamPath}/invitations`)).body).toMatchObject({
      invitations: [],
      pagination: { total: 0 },
    });
  });

  it.each([
    '\u0000',
    'a\u0000@example.com',
    'a\u200b@example.com',
    'mi\u212ae@example.com',
    'mike@example.com.',
    'mike@example.com\u00a0',
    'mike\uff20example.com',
    'mik\uff45@example.com',
    'mike@ex\u00adample.com',
    `${'a'.repeat(10_000)}@example.com`,
    'no address',
    `${'a'.repeat(512)}@b.co`,
  ])('S23: is not made for %j', async email => {
    const { owner, teamPath } = await gateway.createTenant();
    expect(await owner.call('POST', `${teamPath}/members`, { email, role: 'member' })).toMatchObject({
      status: 400,
      body: { error: { code: 'validation_error', details: { fields: [{ path: 'email' }] } } },
    });
  });
});

describe('a removed member', () => {
  it('S41: loses access, the keys they created or rotated, and ways back, at once', async () => {
    const tenant = await gateway.createTenant();
    const { owner, teamPath, path } = tenant;
    const bob = await gateway.signUp();
    await gateway.addMember(tenant, bob, 'owner');
    const ofOwner = await tenant.createKey();
    const rotated = await tenant.createKey();
    const rotation = await bob.call('POST', `${path}/api-keys/${rotated.id}/rotate`, {});
    const made = await bob.call('POST', `${path}/api-keys`, { name: 'made', scopes: ['products:read'] });
    const toBob = { email: 'bob-again@example.com', role: 'owner' };
    const invited = await bob.call('POST', `${teamPath}/members`, toBob);
    const again = await gateway.signUp(toBob.email);
    const read = async (secret: string) =>
      (await gateway.call('GET', `${path}/products`, { headers: { authorization: `Bearer ${secret}` } })).status;
    expect(await read(made.body.secret)).toBe(200);

    const removed = await owner.call('DELETE', `${teamPath}/members/${bob.userId}`);
    expect(removed).toMatchObject({ status: 200, body: { success: true, keptKeys: [] } });
    const projectId = path.split('/').at(-1);
    expect(removed.body.revokedKeys).toMatchObject([
      { id: made.body.apiKey.id, name: 'made', projectId },
      { id: rotated.id, projectId },
    ]);
    expect(removed.body.withdrawnInvitations).toMatchObject([{ id: invited.body.invitation.id }]);
    expect(await Promise.all([ofOwner.secret, rotation.body.secret, made.body.secret].map(read))).toEqual([
      200, 401, 401,
    ]);
    for (const of of [`${teamPath}/projects`, `${teamPath}/members`, path, `${path}/api-keys`, `${path}/products`])
      expect((await bob.call('GET', of)).status).toBe(403);
    expect((await bob.call('GET', '/api/service/teams')).body.teams).toEqual([]);
    expect(await again.call('POST', acceptPath(invited.body.invitation.url))).toMatchObject(NOT_FOUND);
    expect(await owner.call('DELETE', `${teamPath}/members/${bob.userId}`)).toMatchObject({
      status: 404,
      body: { error: { code: 'member_not_found' } },
    });
  });

  it('S41: leaves their keys valid when these are kept on purpose', async () => {
    const tenant = await gateway.createTenant();
    const { owner, teamPath, path } = tenant;
    const bob = await gateway.signUp();
    await gateway.addMember(tenant, bob);
    const made = await bob.call('POST', `${path}/api-keys`, { name: 'made', scopes: ['products:read'] });
    for (const query of ['keepKeys=yes', 'keepKeys=true&keepKeys=false', 'keepkeys=true'])
      expect((await owner.call('DELETE', `${teamPath}/members/${bob.userId}?${query}`)).status).toBe(400);
    const removed = await owner.call('DELETE', `${teamPath}/members/${bob.userId}?keepKeys=true`);
    expect(removed.body).toMatchObject({ revokedKeys: [], keptKeys: [{ id: made.body.apiKey.id }] });
    const headers = { authorization: `Bearer ${made.body.secret}` };
    expect((await gateway.call('GET', `${path}/products`, { headers })).status).toBe(200);
  });

  it('keeps no key that they create at the same moment', async () => {
    const tenant = await gateway.createTenant();
    const { owner, teamPath, path } = tenant;
    for (let round = 0; round < 3; round += 1) {
      const bob = await gateway.signUp();
      await gateway.addMember(tenant, bob);
      const creating = Array.from({ length: 4 }, () =>
        bob.call('POST', `${path}/api-keys`, { name: 'late', scopes: ['products:read'] }),
      );
      await Promise.all([...creating, owner.call('DELETE', `${teamPath}/members/${bob.userId}`)]);
      const live = await execute('select id from api_keys where created_by = ? and revoked_at is null', bob.userId);
      expect(live).toEqual([]);
    }
  });

  it('must be a member: others are protected from members', async () => {
    const tenant = await gateway.createTenant();
    const { owner, teamPath } = tenant;
    const bob = await gateway.signUp();
    await gateway.addMember(tenant, bob);
    expect((await bob.call('DELETE', `${teamPath}/members/${owner.userId}`)).status).toBe(403);
    expect((await bob.call('POST', `${teamPath}/processor/connect`, {})).status).toBe(403);
    expect((await bob.call('GET', `${teamPath}/processor/webhook-url`)).status).toBe(200);
  });
});

describe('a password that was checked over 15 minutes ago', () => {
  it('S40: does not suffice to connect, disconnect, purge, invite or remove an owner', async () => {
    const tenant = await gateway.createTenant();
    const { owner, teamPath } = tenant;
    const [bob, lin] = [await gateway.signUp(), await gateway.signUp()];
    await gateway.addMember(tenant, bob, 'owner');
    await gateway.addMember(tenant, lin);
    const requests = [
      ['POST', `${teamPath}/processor/connect`, {}],
      ['DELETE', `${teamPath}/processor`, undefined],
      ['DELETE', `${teamPath}/processor?purge=true`, { confirm: 'Acme' }],
      ['POST', `${teamPath}/members`, { email: 'new@example.com', role: 'owner' }],
      ['DELETE', `${teamPath}/members/${bob.userId}`, undefined],
    ] as const;
    const session = 'update auth.session set "passwordCheckedAt" = ';
    for (const checkedAt of [`now() - interval '15 minutes 1 second'`, 'null']) {
      await execute(`${session} ${checkedAt} where "userId" = ?`, owner.userId);
      const before = gateway.received().length;
      for (const [method, path, body] of requests)
        expect(await owner.call(method, path, body)).toMatchObject({
          status: 403,
          body: { error: { code: 'reauthentication_required' } },
        });
      expect(gateway.received()).toHaveLength(before);
    }
    // Removing a member takes rights away.
    expect((await owner.call('DELETE', `${teamPath}/members/${lin.userId}`)).status).toBe(200);

    await execute(`${session} now() - interval '14 minutes 50 seconds' where "userId" = ?`, owner.userId);
    for (const [method, path, body] of requests)
      expect((await owner.call(method, path, body)).status).toBeLessThan(300);
  });

  it('S40: is refused again only until it was verified, also for a repeated request', async () => {
    const { owner, teamPath } = await gateway.createTenant();
    await execute('update auth.session set "passwordCheckedAt" = null where "userId" = ?', owner.userId);
    const invite = () =>
      gateway.call('POST', `${teamPath}/members`, {
        body: { email: 'lin@example.com', role: 'owner' },
        headers: { cookie: owner.cookie, 'idempotency-key': 'k' },
      });
    expect((await invite()).body.error.code).toBe('reauthentication_required');
    for (const path of ['get-session', 'list-sessions'])
      expect((await owner.call('GET', `/api/auth/${path}`)).status).toBe(200);
    const wrong = await owner.call('POST', '/api/auth/verify-password', { password: 'not the password' });
    expect(wrong).toMatchObject({ status: 400, body: { error: { code: 'invalid_password' } } });
    expect((await invite()).status).toBe(403);
    expect((await owner.call('POST', '/api/auth/verify-password', { password: owner.password })).status).toBe(200);
    expect((await invite()).status).toBe(202);
  });
});
