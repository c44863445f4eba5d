import { allOperations } from '@billing/contracts/operations/index';
import { expect, it } from 'vitest';
import { List } from '../src/pages.ts';
import { SessionClient } from '../src/index.ts';

/** Operations that the client leaves to plain HTTP: they change many records at once, or repeat one of a team's. */
const LEFT_OUT = ['retryDeadLetters', 'dropDeadLetters', 'replayWebhookEvent'];

it('has exactly one method for each operation that needs a signed-in user', async () => {
  const called = new Set<string>();
  const client = new SessionClient({
    baseUrl: 'http://billing.example',
    fetch: async (url, init) => {
      const { pathname } = new URL(new Request(url).url);
      called.add(`${init?.method} ${decodeURIComponent(pathname)}`);
      expect(new Headers(init?.headers).has('authorization')).toBe(false);
      return Response.json({ pagination: {} });
    },
  });
  const run = async (result: unknown) => {
    const settled = await result;
    if (settled instanceof List) await settled.page();
  };
  await run(client.teams.create({ name: 'Acme' }));
  await run(client.teams.list());
  await run(client.teams.update(':teamId', { name: 'Acme' }));
  await run(client.acceptInvitation(':invitationToken'));
  const team = client.team(':teamId');
  const ids: Record<string, readonly string[]> = {
    projects: [':projectId'],
    apiKeys: [':projectId', ':keyId'],
    members: [':userId'],
    invitations: [':invitationId'],
    webhookEvents: [':eventId'],
    deadLetters: [':deadLetterId'],
  };
  for (const [resource, methods] of Object.entries(team))
    for (const [name, method] of Object.entries(methods)) {
      const call = method as (...args: unknown[]) => unknown; // every method accepts ids and a body, or a body
      const isOfOne = !['create', 'list', 'invite'].includes(name);
      const taken = (ids[resource] ?? []).slice(0, isOfOne ? undefined : resource === 'apiKeys' ? 1 : 0);
      await run(call(...taken, {}));
    }

  const declared = allOperations.filter(
    ({ id, access: { kind } }) => ['session', 'team', 'project-session'].includes(kind) && !LEFT_OUT.includes(id),
  );
  expect([...called].toSorted()).toEqual(declared.map(({ method, path }) => `${method} ${path}`).toSorted());
});

it('opens the client of a project, which works by the same session', async () => {
  const paths: string[] = [];
  const client = new SessionClient({
    baseUrl: 'http://billing.example/',
    fetch: async (url, init) => {
      paths.push(new URL(new Request(url).url).pathname);
      expect(new Headers(init?.headers).has('authorization')).toBe(false);
      return Response.json({ customers: [], pagination: { total: 0, hasMore: false } });
    },
  });
  await client.team('team_1').billing('proj_1').customers.list().page();
  expect(paths).toEqual(['/api/service/teams/team_1/projects/proj_1/customers']);
});
