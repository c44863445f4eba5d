import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ProjectId, TeamId } from '@billing/contracts/ids';
import { FindProject } from '@billing/contracts/rpc/calls';
import { openRpcClient } from '@billing/messaging/rpc';
import { waitFor } from '@billing/testing/wait-for';
import { startGateway, withoutRequestId, type Gateway } from './harness.ts';

let gateway: Gateway;
beforeAll(async () => void (gateway = await startGateway()));
afterAll(() => gateway[Symbol.asyncDispose]());

describe('teams and members', () => {
  it('belong to whoever creates them, and are listed newest first', async () => {
    const ada = await gateway.signUp();
    const first = await ada.as('POST', '/api/service/teams', { name: ' First ' });
    expect(first).toMatchObject({
      status: 201,
      body: { team: { id: expect.stringMatching(/^team_\w{20,}$/), name: 'First' } },
    });
    const second = await ada.as('POST', '/api/service/teams', { name: 'Second' });
    expect((await ada.as('GET', '/api/service/teams')).body).toEqual({ teams: [second.body.team, first.body.team] });
    const members = await ada.as('GET', `/api/service/teams/${first.body.team.id}/members`);
    expect(members.body.members).toEqual([
      { userId: ada.userId, email: ada.email, name: 'Ada', role: 'owner', createdAt: first.body.team.createdAt },
    ]);
  });

  it('let owners add existing users once, and let those in', async () => {
    const { owner, teamPath } = await gateway.givenProject();
    const bob = await gateway.signUp();
    expect((await bob.as('GET', `${teamPath}/projects`)).status).toBe(403);

    const add = (email: string) => owner.as('POST', `${teamPath}/members`, { email, role: 'member' });
    const added = await add(bob.email.toUpperCase());
    expect(added).toMatchObject({ status: 201, body: { member: { userId: bob.userId, role: 'member' } } });
    expect((await bob.as('GET', `${teamPath}/projects`)).status).toBe(200);
    expect(await add(bob.email)).toMatchObject({ status: 409, body: { error: { code: 'member_exists' } } });
    expect(await add('nobody@example.com')).toMatchObject({ status: 404, body: { error: { code: 'user_not_found' } } });
  });

  it('keep what is the owner’s from members, and everything from who was removed, at once', async () => {
    const { owner, teamPath } = await gateway.givenProject();
    const bob = await gateway.signUp();
    await owner.as('POST', `${teamPath}/members`, { email: bob.email, role: 'member' });
    const remove = `${teamPath}/members/${bob.userId}`;
    expect((await bob.as('POST', `${teamPath}/members`, { email: bob.email, role: 'owner' })).status).toBe(403);
    expect((await bob.as('DELETE', `${teamPath}/members/${owner.userId}`)).status).toBe(403);
    expect((await bob.as('POST', `${teamPath}/processor/connect`, {})).status).toBe(403);
    expect((await bob.as('GET', `${teamPath}/processor/webhook-url`)).status).toBe(200);

    expect(await owner.as('DELETE', remove)).toMatchObject({ status: 200, body: { success: true } });
    expect((await bob.as('GET', `${teamPath}/projects`)).status).toBe(403);
    expect(await owner.as('DELETE', remove)).toMatchObject({
      status: 404,
      body: { error: { code: 'member_not_found' } },
    });
  });

  it('always keep an owner, also when two leave at the same moment', async () => {
    const { owner, teamPath } = await gateway.givenProject();
    const leave = (userId: string) => owner.as('DELETE', `${teamPath}/members/${userId}`);
    expect(await leave(owner.userId)).toMatchObject({ status: 409, body: { error: { code: 'last_owner' } } });

    const bob = await gateway.signUp();
    await owner.as('POST', `${teamPath}/members`, { email: bob.email, role: 'owner' });
    const answers = await Promise.all([
      owner.as('DELETE', `${teamPath}/members/${bob.userId}`),
      bob.as('DELETE', `${teamPath}/members/${owner.userId}`),
    ]);
    const [kept] = await gateway.database.em
      .fork()
      .execute<{ count: number }[]>('select count(*)::int as count from members where team_id = ?', [
        teamPath.split('/').at(-1),
      ]);
    expect(kept?.count).toBe(1);
    // The slower one was no member any more, or would have been the last owner to go.
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, expect.toBeOneOf([403, 409])]);
  });
});

describe('projects', () => {
  it('are created, listed, read and changed by members', async () => {
    const { owner, teamPath, teamId } = await gateway.givenProject();
    const created = await owner.as('POST', `${teamPath}/projects`, { name: 'Shop', baseCurrency: 'eur' });
    const { project } = created.body;
    expect(created.status).toBe(201);
    expect(project).toEqual({
      id: expect.stringMatching(/^proj_\w{20,}$/),
      teamId,
      name: 'Shop',
      baseCurrency: 'eur',
      createdAt: expect.stringMatching(/Z$/),
    });
    const path = `${teamPath}/projects/${project.id}`;
    expect((await owner.as('GET', path)).body).toEqual({ project });
    expect((await owner.as('GET', `${teamPath}/projects`)).body.projects[0]).toEqual(project);
    const changed = await owner.as('PATCH', path, { name: 'Store' });
    expect(changed).toMatchObject({ status: 200, body: { project: { ...project, name: 'Store' } } });
    expect((await owner.as('GET', path)).body).toEqual(changed.body);
  });

  it('tell the bus of each change once, with a version that grows', async () => {
    const heard: unknown[] = [];
    const stop = await gateway.bus.consume('test-projects', 'project.*.v1', async event => {
      heard.push({ type: event.type, ...(event.data as object) });
      return { kind: 'done' };
    });
    const { owner, path, projectId } = await gateway.givenProject();
    await owner.as('PATCH', path, { name: 'Store' });
    await owner.as('PATCH', path, { name: 'Store' });
    await owner.as('PATCH', path, { baseCurrency: 'jpy' });
    const mine = () => heard.filter(fact => (fact as { id: string }).id === projectId);
    await waitFor(() => mine().length === 3, { what: 'three facts' });
    expect(mine()).toEqual([
      expect.objectContaining({ type: 'project.created.v1', version: 1, name: 'Shop', baseCurrency: 'usd' }),
      expect.objectContaining({ type: 'project.updated.v1', version: 2, name: 'Store' }),
      expect.objectContaining({ type: 'project.updated.v1', version: 3, baseCurrency: 'jpy' }),
    ]);
    await stop();
  });

  it('are told to services that ask, within their team only', async () => {
    const { teamId, projectId } = await gateway.givenProject();
    const rpc = openRpcClient({ nats: gateway.nats, root: gateway.bus.root });
    const scope = { teamId: TeamId.schema.parse(teamId), projectId: ProjectId.schema.parse(projectId) };
    expect(await rpc.call(FindProject, scope)).toMatchObject({ id: projectId, baseCurrency: 'usd' });
    expect(await rpc.call(FindProject, { ...scope, teamId: TeamId.create() })).toBeNull();
  });

  it('of another team and ones that never were are the same 404 to a member', async () => {
    const { owner, teamPath } = await gateway.givenProject();
    const stranger = await gateway.givenProject();
    const ids = [stranger.projectId, ProjectId.create(), 'nonsense'];
    for (const rest of ['', '/products', '/api-keys']) {
      const answers = await Promise.all(ids.map(id => owner.as('GET', `${teamPath}/projects/${id}${rest}`)));
      expect(new Set(answers.map(withoutRequestId)).size).toBe(1);
      expect(answers[0]).toMatchObject({ status: 404, body: { error: { code: 'project_not_found' } } });
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
    ['POST', '', undefined, ['']],
    ['POST', '', '{"name":', ['']],
    ['POST', '', '['.repeat(100_000), ['']],
    ['POST', '', `${'['.repeat(100_000)}${']'.repeat(100_000)}`, ['']],
  ])('name every wrong field: %s%s %j', async (method, rest, body, paths) => {
    const { owner, teamPath } = await gateway.givenProject();
    const answer = await owner.as(method, `${teamPath}/projects${rest}`, body);
    expect(answer).toMatchObject({ status: 400, body: { error: { code: 'validation_error' } } });
    expect(answer.body.error.details.fields.map((field: { path: string }) => field.path)).toEqual(paths);
  });
});
