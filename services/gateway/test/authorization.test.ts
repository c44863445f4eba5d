import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { operation, type Operation } from '@billing/contracts/operation';
import { DELIVERIES_PATH } from '@billing/contracts/delivery-bundle';
import { allOperations } from '@billing/contracts/operations/index';
import { SCOPES } from '@billing/contracts/scopes';
import { waitFor } from '@billing/testing/wait-for';
import { z } from 'zod';
import { operationRoutes } from '#routes/operations.ts';
import { startGateway, withoutRequestId, type Answer, type Gateway } from './harness.ts';

/** Everything that might be held against an operation, and what each kind of access answers to it. */
type Credential =
  | 'none'
  | 'right scope'
  | 'all other scopes'
  | 'key of another project of the team'
  | 'key of another team'
  | 'revoked key'
  | 'expired key'
  | 'session of an owner'
  | 'session of a member'
  | 'session of another team'
  | 'session that is over'
  | 'session used from another site';

/** 200 stands for: let through. */
const EXPECTED: Record<Operation['access']['kind'], Partial<Record<Credential, number>>> = {
  project: {
    none: 401,
    'right scope': 200,
    'all other scopes': 403,
    'key of another project of the team': 403,
    'key of another team': 403,
    'revoked key': 401,
    'expired key': 401,
    'session of an owner': 200,
    'session of a member': 200,
    'session of another team': 403,
    'session that is over': 401,
    'session used from another site': 403,
  },
  'project-session': {
    none: 401,
    'right scope': 403,
    'all other scopes': 403,
    'key of another team': 403,
    'revoked key': 401,
    'expired key': 401,
    'session of an owner': 200,
    'session of a member': 200,
    'session of another team': 403,
    'session that is over': 401,
    'session used from another site': 403,
  },
  team: {
    none: 401,
    'right scope': 403,
    'key of another team': 403,
    'revoked key': 401,
    'expired key': 401,
    'session of an owner': 200,
    'session of another team': 403,
    'session that is over': 401,
    'session used from another site': 403,
  },
  session: {
    none: 401,
    'right scope': 403,
    'revoked key': 401,
    'expired key': 401,
    'session of an owner': 200,
    'session that is over': 401,
    'session used from another site': 403,
  },
  'portal-token': { none: 200, 'right scope': 200, 'session of another team': 200 },
  signature: { none: 200, 'right scope': 200, 'session of another team': 200 },
};

let gateway: Gateway;
let teamId: string;
let projectId: string;
/** The headers of each credential; those of keys for a given scope. */
let headersOf: Record<Exclude<Credential, 'right scope' | 'all other scopes'>, Record<string, string>>;
let keyWith: Record<string, Record<string, string>>;
let keyWithout: Record<string, Record<string, string>>;

beforeAll(async () => {
  gateway = await startGateway();
  const mine = await gateway.givenProject();
  const theirs = await gateway.givenProject();
  ({ teamId, projectId } = mine);
  const { owner } = mine;

  const sibling = (await owner.as('POST', `${mine.teamPath}/projects`, { name: 'Sibling' })).body.project;
  const siblingKey = await owner.as('POST', `${mine.teamPath}/projects/${sibling.id}/api-keys`, {
    name: 'x',
    scopes: SCOPES,
  });
  const revoked = await mine.newKey();
  await owner.as('DELETE', `${mine.path}/api-keys/${revoked.id}`);
  const expired = await mine.newKey(undefined, { expiresAt: new Date(Date.now() + 3_000).toISOString() });
  await waitFor(
    async () => (await gateway.call('GET', `${mine.path}/products`, { headers: expired.bearer })).status === 401,
    { what: 'the key to expire' },
  );
  const member = await gateway.signUp();
  await owner.as('POST', `${mine.teamPath}/members`, { email: member.email, role: 'member' });
  const gone = await gateway.signUp();
  await owner.as('POST', `${mine.teamPath}/members`, { email: gone.email, role: 'owner' });
  await gone.as('POST', '/api/auth/sign-out');

  headersOf = {
    none: {},
    'key of another project of the team': { authorization: `Bearer ${siblingKey.body.secret}` },
    'key of another team': (await theirs.newKey()).bearer,
    'revoked key': revoked.bearer,
    'expired key': expired.bearer,
    'session of an owner': { cookie: owner.cookie },
    'session of a member': { cookie: member.cookie },
    'session of another team': { cookie: theirs.owner.cookie },
    'session that is over': { cookie: gone.cookie },
    'session used from another site': { cookie: owner.cookie, origin: 'https://evil.example' },
  };
  const keys = async (scopesFor: (scope: (typeof SCOPES)[number]) => (typeof SCOPES)[number][]) =>
    Object.fromEntries(
      await Promise.all(SCOPES.map(async scope => [scope, (await mine.newKey(scopesFor(scope))).bearer] as const)),
    );
  keyWith = await keys(scope => [scope]);
  keyWithout = await keys(scope => SCOPES.filter(other => other !== scope));
});
afterAll(() => gateway[Symbol.asyncDispose]());

function credentialHeaders(credential: Credential, { access }: Operation): Record<string, string> {
  const scope = access.kind === 'project' ? access.scope : 'products:read';
  if (credential === 'right scope') return keyWith[scope] ?? {};
  if (credential === 'all other scopes') return keyWithout[scope] ?? {};
  return headersOf[credential];
}

/** The operation's path, with ids that exist where admission looks and others elsewhere. */
const pathOf = ({ path }: Operation) =>
  path
    .replace(':teamId', teamId)
    .replace(':projectId', projectId)
    .replaceAll(/:(\w+)/g, (_, name: string) => `some${name}`);

const ask = (of: Operation, credential: Credential): Promise<Answer> =>
  gateway.call(of.method, pathOf(of), {
    headers: credentialHeaders(credential, of),
    // The gateway's own operations get what they refuse, so that the table changes nothing.
    ...(of.body && { body: { nonsense: true } }),
  });

const table = allOperations.flatMap(of =>
  Object.entries(EXPECTED[of.access.kind]).map(([credential, expected]) => ({
    id: of.id,
    operation: of,
    credential: credential as Credential, // its keys are typed as string
    expected: ownersOnly(of) && credential === 'session of a member' ? 403 : expected,
  })),
);

/** 200 for what admission let through, also where the gateway's own schemas then refused what was asked. */
function outcomeOf({ service }: Operation, { status }: Answer): number {
  return service === 'gateway' && [201, 400, 404].includes(status) ? 200 : status;
}

function ownersOnly({ access }: Operation): boolean {
  return access.kind === 'team' && access.role === 'owner';
}

describe('the table of operations and credentials', () => {
  it.each(table)('$id, $credential: $expected', async ({ operation: of, credential, expected }) => {
    const before = gateway.seen().length;
    const answer = await ask(of, credential);
    expect(outcomeOf(of, answer)).toBe(expected);
    expect(gateway.seen().length - before).toBe(expected === 200 && of.service !== 'gateway' ? 1 : 0);
    expect(answer.body.error?.details?.requiredScope).toBe(
      credential === 'all other scopes' && of.access.kind === 'project' ? of.access.scope : undefined,
    );
  });

  it('lets members but not owners only into what is the owner’s', async () => {
    for (const of of allOperations.filter(ownersOnly))
      expect(await ask(of, 'session of a member')).toMatchObject({ status: 403 });
  });

  it('sends operations to the services that own them, with nobody for those that check by themselves', async () => {
    for (const of of allOperations.filter(({ service }) => service !== 'gateway')) {
      const { body } = await ask(of, ownersOnly(of) ? 'session of an owner' : 'session of a member');
      const url = of.access.kind === 'signature' ? DELIVERIES_PATH : pathOf(of);
      expect(body).toMatchObject({ service: of.service, url });
      const isAnonymous = of.access.kind === 'signature' || of.access.kind === 'portal-token';
      expect(body.principal.kind).toBe(isAnonymous ? 'anonymous' : 'user');
    }
  });

  it('says the same 403 of teams and projects that exist and of ones that do not', async () => {
    const { owner } = await gateway.givenProject();
    const key = headersOf['key of another team'];
    const paths = [
      `/api/service/teams/${teamId}/projects/${projectId}/products`,
      '/api/service/teams/team_x/projects/y/products',
    ];
    for (const headers of [key, { cookie: owner.cookie }]) {
      const answers = await Promise.all(paths.map(path => gateway.call('GET', path, { headers })));
      expect(new Set(answers.map(withoutRequestId)).size).toBe(1);
      expect(answers[0]?.status).toBe(403);
    }
  });

  it('does not fall back to a session when a bad key is sent beside it', async () => {
    const headers = { ...headersOf['session of an owner'], ...headersOf['revoked key'] };
    expect((await gateway.call('GET', '/api/service/teams', { headers })).status).toBe(401);
  });
});

describe('a request by cookie', () => {
  it.each([
    [{}, 200],
    [{ origin: 'http://localhost:8080' }, 200],
    [{ 'sec-fetch-site': 'same-origin' }, 200],
    [{ 'sec-fetch-site': 'none' }, 200],
    [{ 'sec-fetch-site': 'cross-site' }, 403],
    [{ origin: 'http://localhost:8080', 'sec-fetch-site': 'cross-site' }, 403],
    [{ origin: 'https://evil.example' }, 403],
    [{ origin: 'http://localhost' }, 403],
    [{ origin: 'null' }, 403],
  ])('with %j is answered %i, whatever its method', async (headers, expected) => {
    const { cookie } = headersOf['session of an owner'];
    const path = `/api/service/teams/${teamId}/projects/${projectId}/products`;
    for (const method of ['GET', 'POST'])
      expect((await gateway.call(method, path, { headers: { ...headers, cookie: cookie ?? '' } })).status).toBe(
        expected,
      );
  });

  it('is bound by where it comes from, one by key is not', async () => {
    const headers = { ...keyWith['products:read'], origin: 'https://shop.example', 'sec-fetch-site': 'cross-site' };
    const path = `/api/service/teams/${teamId}/projects/${projectId}/products`;
    const answer = await gateway.call('GET', path, { headers });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('access-control-allow-origin')).toBeNull();
  });
});

describe('a declaration', () => {
  const parts = { admit: neverCalled, limits: neverCalled, forwarding: neverCalled, handlers: {} } as never; // routing looks at declarations only
  const declared = {
    service: 'catalog',
    method: 'GET',
    summary: 'x',
    params: z.object({}),
    status: 200,
    response: z.object({}),
    problems: [],
    example: { response: {} },
  } as const;
  const route = (...operations: Operation[]) => operationRoutes({ ...(parts as object), operations } as never);

  it('that does not say who may call it cannot be started with', () => {
    const open = { ...declared, id: 'open', path: '/x' } as unknown as Operation; // what the types forbid
    expect(() => route(open)).toThrow(TypeError);
    expect(() => route({ ...open, access: { kind: 'everyone' } } as never)).toThrow('does not say who may call it');
  });

  it('that stands at the path of another one cannot be started with', () => {
    const one = operation({ ...declared, id: 'one', path: '/x/:a', access: { kind: 'session' } });
    expect(() => route(one, { ...one, id: 'two', path: '/x/:b' })).toThrow('Two operations are declared');
  });

  it('of the gateway’s that nothing answers cannot be started with', () => {
    const mine = operation({ ...declared, service: 'gateway', id: 'mine', path: '/x', access: { kind: 'session' } });
    expect(() => route(mine)).toThrow('Nothing answers mine');
  });
});

function neverCalled(): never {
  throw new Error('not asked for');
}
