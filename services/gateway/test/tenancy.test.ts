import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ProjectUpdated } from '@billing/contracts/events/gateway';
import { ProjectId, TeamId } from '@billing/contracts/ids';
import { FindProject } from '@billing/contracts/rpc/calls';
import { SetGraceDays } from '@billing/contracts/rpc/catalog';
import { testAuditContext } from '@billing/service/testing/audit-context';
import { waitFor } from '@billing/testing/wait-for';
import { withoutRequestId } from './http-client.ts';
import { startGateway, type Gateway } from './start-gateway.ts';

let gateway: Gateway;
beforeAll(async () => void (gateway = await startGateway()));
afterAll(() => gateway[Symbol.asyncDispose]());

describe('teams and members', () => {
  it('belong to their creator, and are listed newest first', async () => {
    const ada = await gateway.signUp();
    const first = await ada.call('POST', '/api/service/teams', { name: ' First ' });
    expect(first).toMatchObject({
      status: 201,
      body: { team: { id: expect.stringMatching(/^team_\w{20,}$/), name: 'First' } },
    });
    const second = await ada.call('POST', '/api/service/teams', { name: 'Second' });
    expect((await ada.call('GET', '/api/service/teams')).body.teams).toEqual([second.body.team, first.body.team]);
    const members = await ada.call('GET', `/api/service/teams/${first.body.team.id}/members`);
    expect(members.body.members).toEqual([
      { userId: ada.userId, email: ada.email, name: 'Ada', role: 'owner', createdAt: first.body.team.createdAt },
    ]);
  });

  it('always keep an owner, even when two owners remove each other', async () => {
    const tenant = await gateway.createTenant();
    const { owner, teamPath } = tenant;
    const leave = (userId: string) => owner.call('DELETE', `${teamPath}/members/${userId}`);
    expect(await leave(owner.userId)).toMatchObject({ status: 409, body: { error: { code: 'last_owner' } } });

    const bob = await gateway.signUp();
    await gateway.addMember(tenant, bob, 'owner');
    const responses = await Promise.all([
      owner.call('DELETE', `${teamPath}/members/${bob.userId}`),
      bob.call('DELETE', `${teamPath}/members/${owner.userId}`),
    ]);
    const [remaining] = await gateway.em
      .fork()
      .execute<{ count: number }[]>('select count(*)::int as count from members where team_id = ?', [
        teamPath.split('/').at(-1),
      ]);
    expect(remaining?.count).toBe(1);
    // The slower owner was not a member any more, or was the last owner.
    expect(responses.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
      200,
      expect.toBeOneOf([403, 409]),
    ]);
  });
});

describe('projects', () => {
  it('can be created, listed, read and changed', async () => {
    const { owner, teamPath, teamId } = await gateway.createTenant();
    const created = await owner.call('POST', `${teamPath}/projects`, { name: 'Shop', baseCurrency: 'eur' });
    const { project } = created.body;
    expect(created.status).toBe(201);
    expect(project).toEqual({
      id: expect.stringMatching(/^proj_\w{20,}$/),
      teamId,
      name: 'Shop',
      baseCurrency: 'eur',
      entitlementGraceDays: 7,
      automaticTax: false,
      entitlementsWhilePaused: true,
      createdAt: expect.stringMatching(/Z$/),
    });
    const path = `${teamPath}/projects/${project.id}`;
    expect((await owner.call('GET', path)).body).toEqual({ project });
    expect((await owner.call('GET', `${teamPath}/projects`)).body.projects[0]).toEqual(project);
    const changed = await owner.call('PATCH', path, { name: 'Store' });
    expect(changed).toMatchObject({ status: 200, body: { project: { ...project, name: 'Store' } } });
    expect((await owner.call('GET', path)).body).toEqual(changed.body);
    for (const entitlementGraceDays of [0, 60])
      expect((await owner.call('PATCH', path, { entitlementGraceDays })).body.project).toEqual({
        ...changed.body.project,
        entitlementGraceDays,
      });
    expect((await owner.call('PATCH', path, { entitlementsWhilePaused: false })).body.project).toMatchObject({
      entitlementsWhilePaused: false,
    });
    for (const entitlementsWhilePaused of ['no', 0, null])
      expect((await owner.call('PATCH', path, { entitlementsWhilePaused })).status).toBe(400);
    for (const entitlementGraceDays of [-1, 61, 1.5, '7', null])
      expect((await owner.call('PATCH', path, { entitlementGraceDays })).status).toBe(400);
  });

  it('compute tax if they are created so, until that is changed', async () => {
    const { owner, teamPath } = await gateway.createTenant();
    const created = await owner.call('POST', `${teamPath}/projects`, { name: 'Shop', automaticTax: true });
    expect(created.body.project.automaticTax).toBe(true);
    const path = `${teamPath}/projects/${created.body.project.id}`;
    expect((await owner.call('PATCH', path, { name: 'Store' })).body.project.automaticTax).toBe(true);
    expect((await owner.call('PATCH', path, { automaticTax: false })).body.project.automaticTax).toBe(false);
  });

  it('publish each change once, with an increasing version', async () => {
    const events = await gateway.collectEvents('project.*.v1');
    const { owner, path, projectId } = await gateway.createTenant();
    await owner.call('PATCH', path, { name: 'Store' });
    await owner.call('PATCH', path, { name: 'Store' });
    await owner.call('PATCH', path, { baseCurrency: 'jpy', entitlementGraceDays: 14, automaticTax: true });
    const ofProject = () => events.filter(({ data }) => (data as { id: string }).id === projectId);
    await waitFor(() => ofProject().length === 3, { what: 'three events' });
    expect(ofProject()).toMatchObject([
      { type: 'project.created.v1', data: { version: 1, name: 'Shop', baseCurrency: 'usd' } },
      { type: 'project.updated.v1', data: { version: 2, name: 'Store' } },
      {
        type: 'project.updated.v1',
        data: { version: 3, baseCurrency: 'jpy', entitlementGraceDays: 14, automaticTax: true },
      },
    ]);
  });

  it('are found by RPC within their team only', async () => {
    const { teamId, projectId } = await gateway.createTenant();
    const scope = { teamId: TeamId.schema.parse(teamId), projectId: ProjectId.schema.parse(projectId) };
    expect(await gateway.rpc.call(FindProject, scope)).toMatchObject({ id: projectId, baseCurrency: 'usd' });
    expect(await gateway.rpc.call(FindProject, { ...scope, teamId: TeamId.create() })).toBeNull();
  });

  it('get their grace by RPC, with one entry in the audit log for one operation key', async () => {
    const { owner, path, teamId, projectId } = await gateway.createTenant();
    const scope = { teamId: TeamId.schema.parse(teamId), projectId: ProjectId.schema.parse(projectId) };
    const audit = { ...testAuditContext(), projectId: scope.projectId };
    const request = { ...scope, operationKey: randomUUID(), audit, entitlementGraceDays: 30 };
    for (let repeat = 0; repeat < 2; repeat += 1) await gateway.rpc.call(SetGraceDays, request);
    expect((await owner.call('GET', path)).body.project).toMatchObject({ entitlementGraceDays: 30 });
    const { body } = await owner.call('GET', `/api/service/teams/${teamId}/audit-log?action=${audit.action}`);
    expect(body.entries).toMatchObject([{ changes: [{ field: 'entitlementGraceDays', to: 30 }] }]);
    const foreign = { ...request, teamId: TeamId.create() };
    await expect(gateway.rpc.call(SetGraceDays, foreign)).rejects.toMatchObject({ code: 'project_not_found' });
  });

  it('take concurrent changes one after the other', async () => {
    const { owner, path, projectId } = await gateway.createTenant();
    const names = Array.from({ length: 30 }, (_, index) => `Shop ${index}`);
    const responses = await Promise.all(names.map(name => owner.call('PATCH', path, { name })));
    expect(responses.map(({ status }) => status)).toEqual(names.map(() => 200));
    const published = (await gateway.published(ProjectUpdated)).filter(({ data }) => data.id === projectId);
    expect(published.map(({ data }) => data.version)).toEqual(names.map((_, index) => index + 2));
  });

  it('of another team look like projects that do not exist', async () => {
    const { owner, teamPath } = await gateway.createTenant();
    const other = await gateway.createTenant();
    const ids = [other.projectId, ProjectId.create(), 'nonsense'];
    for (const rest of ['', '/products', '/api-keys']) {
      const responses = await Promise.all(ids.map(id => owner.call('GET', `${teamPath}/projects/${id}${rest}`)));
      expect(new Set(responses.map(withoutRequestId)).size).toBe(1);
      expect(responses[0]).toMatchObject({ status: 404, body: { error: { code: 'project_not_found' } } });
    }
  });

  it.each([
    ['POST', '', { name: '' }, ['name']],
    ['POST', '', {}, ['name']],
    ['POST', '', { name: 'x', baseCurrency: 'EUR' }, ['baseCurrency']],
    ['POST', '', { name: 1, baseCurrency: [], id: 'proj_mine', teamId: 'x' }, ['name', 'baseCurrency', 'id', 'teamId']],
    ['POST', '', '{"name":"x","__proto__":{"admin":true}}', ['__proto__']],
    ['POST', '', { name: 'a\u0000b' }, ['name']],
    ['POST', '', '{"name":"\\ud800"}', ['name']],
    ['POST', '', undefined, ['name']],
    ['POST', '', '{"name":', ['']],
    ['POST', '', '['.repeat(100_000), ['']],
    ['POST', '', `${'['.repeat(100_000)}${']'.repeat(100_000)}`, ['']],
  ])('name each wrong field: %s%s %j', async (method, rest, body, paths) => {
    const { owner, teamPath } = await gateway.createTenant();
    const response = await owner.call(method, `${teamPath}/projects${rest}`, body);
    expect(response).toMatchObject({ status: 400, body: { error: { code: 'validation_error' } } });
    expect(response.body.error.details.fields.map((field: { path: string }) => field.path)).toEqual(paths);
  });
});
