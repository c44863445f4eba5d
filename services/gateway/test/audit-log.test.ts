import { AuditRecorded } from '@billing/contracts/events/audit';
import { AuditEntryId, ProjectId, TeamId } from '@billing/contracts/ids';
import type { AuditEntry, AuditValue, ListedAuditEntry } from '@billing/contracts/resources/audit-entry';
import { newEvent } from '@billing/testing/events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { lastEntries, logOf } from './audit-entries.ts';
import { startGateway, type Gateway } from './start-gateway.ts';
import { acceptPath } from './tenants.ts';

let gateway: Gateway;
beforeAll(async () => void (gateway = await startGateway()));
afterAll(() => gateway[Symbol.asyncDispose]());

const execute = (sql: string, ...values: string[]) => gateway.em.fork().execute(sql, values);
const change = (field: string, from: AuditValue, to: AuditValue) => ({ field, from, to });

describe('a write of the gateway', () => {
  it('leaves one entry that says who changed what, by which request and from where', async () => {
    const tenant = await gateway.createTenant();
    const { owner, teamPath, teamId, projectId, path } = tenant;
    const response = await owner.call('PATCH', path, { name: 'Web shop' });
    const { entries, pagination } = await logOf(tenant);
    expect(pagination).toEqual({
      limit: 50,
      offset: 0,
      total: 3,
      hasMore: false,
      totalIsExact: true,
      nextCursor: null,
    });
    const user = { type: 'user', id: owner.userId };
    expect(entries).toMatchObject([
      {
        id: expect.stringMatching(/^aud_/),
        actor: user,
        action: 'updateProject',
        projectId,
        target: { type: 'project', id: projectId },
        requestId: response.headers.get('x-request-id'),
        address: expect.stringMatching(/127\.0\.0\.1$/),
        outcome: 'succeeded',
        changes: [change('name', 'Shop', 'Web shop')],
      },
      {
        action: 'createProject',
        projectId,
        changes: [
          change('name', null, 'Shop'),
          change('baseCurrency', null, 'usd'),
          change('automaticTax', null, false),
        ],
      },
      { action: 'createTeam', actor: user, projectId: null, target: { type: 'team', id: teamId } },
    ]);
    await owner.call('PATCH', path, { name: 'Web shop' });
    expect(await lastEntries(tenant, 1)).toMatchObject([{ action: 'updateProject', changes: [] }]);
    expect((await owner.call('GET', `${teamPath}/projects`)).status).toBe(200);
    expect((await logOf(tenant)).pagination.total).toBe(4);
    await owner.call('PATCH', teamPath, { name: 'Acme Inc.' });
    expect(await lastEntries(tenant, 1)).toMatchObject([
      { action: 'updateTeam', target: { type: 'team', id: teamId }, changes: [change('name', 'Acme', 'Acme Inc.')] },
    ]);
  });

  it('is recorded for keys and members, without secrets and addresses', async () => {
    const tenant = await gateway.createTenant();
    const { owner, teamPath, path, projectId } = tenant;
    const [bob, email] = [await gateway.signUp(), 'lin@example.com'];
    const key = await tenant.createKey(['products:read']);
    const rotated = await owner.call('POST', `${path}/api-keys/${key.id}/rotate`, {});
    await owner.call('DELETE', `${path}/api-keys/${key.id}`);
    const first = (await owner.call('POST', `${teamPath}/members`, { email, role: 'member' })).body.invitation;
    const second = (await owner.call('POST', `${teamPath}/members`, { email, role: 'member' })).body.invitation;
    await owner.call('DELETE', `${teamPath}/invitations/${second.id}`);
    await gateway.addMember(tenant, bob);
    const left = (await bob.call('POST', `${path}/api-keys`, { name: 'left', scopes: ['products:read'] })).body;
    await owner.call('DELETE', `${teamPath}/members/${bob.userId}`);

    const entries = await lastEntries(tenant, 10);
    const target = { type: 'api_key', id: key.id };
    const invitation = (id: unknown) => ({ type: 'invitation', id });
    expect(entries).toMatchObject([
      {
        action: 'createApiKey',
        projectId,
        target,
        changes: [
          change('name', null, 'a key'),
          change('scopes', null, ['products:read']),
          change('secret', null, null),
        ],
      },
      { action: 'rotateApiKey', target, changes: [change('secret', null, null), change('overlapMs', null, 0)] },
      { action: 'revokeApiKey', target, changes: [{ field: 'revokedAt', from: null }] },
      { action: 'inviteMember', target: invitation(first.id), changes: [change('email', null, null), {}, {}] },
      {
        action: 'inviteMember',
        target: invitation(second.id),
        changes: [
          change('email', null, null),
          change('role', null, 'member'),
          change('url', null, null),
          change('replaces', null, [first.id]),
        ],
      },
      { action: 'withdrawInvitation', target: invitation(second.id) },
      { action: 'inviteMember' },
      {
        action: 'acceptInvitation',
        actor: { id: bob.userId },
        changes: [change('member', null, bob.userId), change('role', null, 'member')],
      },
      { action: 'createApiKey', actor: { id: bob.userId } },
      {
        action: 'removeMember',
        target: { type: 'member', id: bob.userId },
        changes: [change('role', 'member', null), change('revokedKeys', null, [left.apiKey.id])],
      },
    ]);
    const rows = JSON.stringify(await execute('select * from audit_entries'));
    for (const secret of [key.secret, rotated.body.secret, first.url.split('token=')[1], email, bob.email])
      expect(rows).not.toContain(secret);
  });

  it('has one entry when its request is repeated under one Idempotency-Key', async () => {
    const tenant = await gateway.createTenant();
    const { owner, teamPath, path } = tenant;
    const headers = { cookie: owner.cookie, 'idempotency-key': 'again' };
    const requests = [
      [`${teamPath}/projects`, { name: 'Second' }],
      [`${path}/api-keys`, { name: 'k', scopes: ['products:read'] }],
      [`${teamPath}/members`, { email: owner.email, role: 'member' }],
    ] as const;
    for (const [to, body] of requests) {
      const own = { ...headers, 'idempotency-key': to };
      const [one, two] = [
        await gateway.call('POST', to, { body, headers: own }),
        await gateway.call('POST', to, { body, headers: own }),
      ];
      expect(two.status).toBe(one.status);
    }
    expect(
      (await lastEntries(tenant, 4)).map((entry: { action: string; outcome: string }) => [entry.action, entry.outcome]),
    ).toEqual([
      ['createProject', 'succeeded'],
      ['createProject', 'succeeded'],
      ['createApiKey', 'succeeded'],
      ['inviteMember', 'refused'],
    ]);
  });
});

const entryOfCustomer = (projectId: string): AuditEntry => ({
  id: AuditEntryId.create(),
  at: new Date(),
  actor: { type: 'customer', id: 'pc_1' },
  action: 'updatePortalSubscription',
  projectId: ProjectId.schema.parse(projectId),
  target: { type: 'subscription', id: 'ps_1' },
  requestId: 'a-request',
  address: '192.0.2.1',
  outcome: 'succeeded',
  changes: [change('cancelAtPeriodEnd', false, true)],
});

describe('the audit log', () => {
  it('is listed in pages and by action, actor and project', async () => {
    const tenant = await gateway.createTenant();
    const { owner, path, projectId } = tenant;
    const bob = await gateway.signUp();
    await gateway.addMember(tenant, bob);
    for (const name of ['a', 'b', 'c']) await bob.call('PATCH', path, { name });
    const names = async (query: string) => {
      const { entries, pagination } = await logOf(tenant, query);
      return [entries.map((entry: { action: string }) => entry.action), pagination.total];
    };
    expect(await names('?action=updateProject')).toEqual([['updateProject', 'updateProject', 'updateProject'], 3]);
    expect(await names('?action=updateProject&limit=1&offset=2')).toEqual([['updateProject'], 3]);
    expect(await names(`?actor=${bob.userId}&action=acceptInvitation`)).toEqual([['acceptInvitation'], 1]);
    expect(await names(`?actor=${owner.userId}&projectId=${projectId}`)).toEqual([['createProject'], 1]);
    expect(await names('?actor=nobody')).toEqual([[], 0]);
    for (const query of ['?limit=0', '?actor=', '?projectId=x', '?other=1'])
      expect((await owner.call('GET', `${tenant.teamPath}/audit-log${query}`)).status).toBe(400);
  });

  it('is listed by time, from the first moment until before the second', async () => {
    const tenant = await gateway.createTenant();
    const times = [1, 2, 3].map(minute => `2026-01-01T00:0${minute}:00.000Z`);
    const entries = times.map(at => ({ ...entryOfCustomer(tenant.projectId), at: new Date(at) }));
    await gateway.emit(...entries.map(entry => newEvent(AuditRecorded, TeamId.schema.parse(tenant.teamId), entry)));
    const [first, second, third] = times;
    const listed = async (query: string) =>
      (await logOf(tenant, `?actor=pc_1&${query}`)).entries.map(({ at }: { at: string }) => at);
    expect(await listed(`createdAfter=${second}`)).toEqual([third, second]);
    expect(await listed(`createdBefore=${second}`)).toEqual([first]);
    expect(await listed(`createdAfter=${second}&createdBefore=${third}`)).toEqual([second]);
    expect((await tenant.owner.call('GET', `${tenant.teamPath}/audit-log?createdAfter=today`)).status).toBe(400);
  });

  it('names users and keys, also those that are gone, but no stranger', async () => {
    const tenant = await gateway.createTenant();
    const { owner, teamPath, path } = tenant;
    const bob = await gateway.signUp();
    await gateway.addMember(tenant, bob);
    await bob.call('POST', '/api/auth/update-user', { name: 'Bob' });
    await bob.call('PATCH', path, { name: 'Web shop' });
    await owner.call('DELETE', `${teamPath}/members/${bob.userId}`);
    const key = await tenant.createKey();
    await owner.call('DELETE', `${path}/api-keys/${key.id}`);
    const entry = { ...entryOfCustomer(tenant.projectId), actor: { type: 'key', id: key.id } as const };
    await gateway.emit(newEvent(AuditRecorded, TeamId.schema.parse(tenant.teamId), entry));
    const body = { email: 'lin@example.com', role: 'member' };
    const { invitation } = (await owner.call('POST', `${teamPath}/members`, body)).body;
    const eve = await gateway.signUp();
    await eve.call('POST', acceptPath(invitation.url));
    const nameOf = async (actor: string) => {
      const { entries } = await logOf(tenant, `?actor=${actor}`);
      return [...new Set(entries.map((listed: { actor: { name: string | null } }) => listed.actor.name))];
    };
    expect(await nameOf(owner.userId)).toEqual(['Ada']);
    expect(await nameOf(bob.userId)).toEqual(['Bob']);
    expect(await nameOf(key.id)).toEqual(['a key']);
    expect(await nameOf(eve.userId)).toEqual([null]);
    const targets = (await logOf(tenant)).entries.map(({ action, target }: ListedAuditEntry) => [action, target?.name]);
    expect(targets).toEqual(
      expect.arrayContaining([
        ['createTeam', 'Acme'],
        ['updateProject', 'Web shop'],
        ['revokeApiKey', 'a key'],
        ['removeMember', 'Bob'],
        ['inviteMember', null],
      ]),
    );
  });

  it('takes the writes of other services in, each once, late and in any order', async () => {
    const tenant = await gateway.createTenant();
    const { teamId, projectId } = tenant;
    const entries = [1, 2].map(minute => ({
      ...entryOfCustomer(projectId),
      at: new Date(Date.UTC(2026, 0, 1, 0, minute)),
    }));
    const events = entries.map(entry => newEvent(AuditRecorded, TeamId.schema.parse(teamId), entry));
    await gateway.emit(...events.toReversed(), ...events);
    // The same entries in other events: their requests ran twice.
    await gateway.emit(...entries.map(entry => newEvent(AuditRecorded, TeamId.schema.parse(teamId), entry)));
    const listed = (await logOf(tenant, '?actor=pc_1')).entries;
    expect(listed.map(({ at }: { at: string }) => new Date(at).getUTCMinutes())).toEqual([2, 1]);
    const actor = { type: 'customer', id: 'pc_1', name: null };
    const target = { type: 'subscription', id: 'ps_1', name: null };
    expect(listed[1]).toEqual({ ...entries[0], actor, target, count: 1, at: entries[0]?.at.toISOString() });
  });

  it('has an entry in each team of a user for whom an operator makes a reset link', async () => {
    const [tenant, other] = [await gateway.createTenant(), await gateway.createTenant()];
    const bob = await gateway.signUp();
    for (const team of [tenant, other]) await gateway.addMember(team, bob);
    const link = await gateway.resetLink(bob.email);
    for (const team of [tenant, other])
      expect(await lastEntries(team, 1)).toMatchObject([
        {
          actor: { type: 'operator', id: null },
          action: 'resetLink',
          target: { type: 'user', id: bob.userId },
          address: null,
          outcome: 'succeeded',
          changes: [],
        },
      ]);
    expect(JSON.stringify(await logOf(tenant))).not.toContain(link.split('token=')[1]);
  });

  it('is shown to owners of the team only', async () => {
    const tenant = await gateway.createTenant();
    const [bob, other, key] = [await gateway.signUp(), await gateway.createTenant(), await tenant.createKey()];
    await gateway.addMember(tenant, bob);
    const path = `${tenant.teamPath}/audit-log`;
    const responses = [
      await bob.call('GET', path),
      await other.owner.call('GET', path),
      await gateway.call('GET', path, { headers: key.bearer }),
      await gateway.call('GET', path),
    ];
    expect(responses.map(({ status }) => status)).toEqual([403, 403, 403, 401]);
    expect(JSON.stringify(await logOf(other))).not.toContain(tenant.teamId);
  });

  it('cannot be changed by the gateway: its role may only insert and read', async () => {
    const tenant = await gateway.createTenant();
    const before = await logOf(tenant);
    const changes = [
      `update audit_entries set outcome = 'refused'`,
      'delete from audit_entries',
      'truncate audit_entries',
      'insert into audit_entries select * from audit_entries on conflict (id) do update set changes = excluded.changes',
    ];
    for (const sql of changes) await expect(execute(sql)).rejects.toThrow(/permission denied/);
    // Even a role that has the privileges again is stopped by the trigger.
    await execute('grant update, delete, truncate on audit_entries to current_user');
    for (const sql of changes.slice(0, 3)) await expect(execute(sql)).rejects.toThrow('can only be added to');
    expect(await logOf(tenant)).toEqual(before);
  });
});
