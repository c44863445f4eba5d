import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Operation } from '@billing/contracts/operation';
import { ApiKeyId, ProjectId, TeamId } from '@billing/contracts/ids';
import { DELIVERIES_PATH } from '@billing/contracts/delivery-bundle';
import { allOperations } from '@billing/contracts/operations/index';
import { deadLetterCalls } from '@billing/contracts/rpc/dead-letters';
import { SCOPES, type Scope } from '@billing/contracts/scopes';
import { waitFor } from '@billing/testing/wait-for';
import { withoutRequestId, type HttpResponse } from './http-client.ts';
import { startGateway, type Gateway } from './start-gateway.ts';

/** The credentials that every operation is tried with. */
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
  | 'ended session'
  | 'session from another site';

/** The status for each kind of access; 200 means authorized. */
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
    'ended session': 401,
    'session from another site': 403,
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
    'ended session': 401,
    'session from another site': 403,
  },
  team: {
    none: 401,
    'right scope': 403,
    'key of another team': 403,
    'revoked key': 401,
    'expired key': 401,
    'session of an owner': 200,
    'session of another team': 403,
    'ended session': 401,
    'session from another site': 403,
  },
  session: {
    none: 401,
    'right scope': 403,
    'revoked key': 401,
    'expired key': 401,
    'session of an owner': 200,
    'ended session': 401,
    'session from another site': 403,
  },
  'portal-token': { none: 200, 'right scope': 200, 'session of another team': 200 },
  signature: { none: 200, 'right scope': 200, 'session of another team': 200 },
};

let gateway: Gateway;
let teamId: string;
let projectId: string;
/** The headers of each credential that does not depend on a scope. */
let headersOf: Record<Exclude<Credential, 'right scope' | 'all other scopes'>, Record<string, string>>;
let keyWith: Record<string, Record<string, string>>;
let keyWithout: Record<string, Record<string, string>>;

beforeAll(async () => {
  gateway = await startGateway();
  for (const [service, { list }] of Object.entries(deadLetterCalls))
    if (service !== 'gateway') await gateway.serve(list, async () => ({ deadLetters: [], total: 0 }));
  const tenant = await gateway.createTenant();
  const otherTenant = await gateway.createTenant();
  ({ teamId, projectId } = tenant);
  const { owner } = tenant;

  const sibling = (await owner.call('POST', `${tenant.teamPath}/projects`, { name: 'Sibling' })).body.project;
  const siblingKey = await owner.call('POST', `${tenant.teamPath}/projects/${sibling.id}/api-keys`, {
    name: 'x',
    scopes: SCOPES,
  });
  const revoked = await tenant.createKey();
  await owner.call('DELETE', `${tenant.path}/api-keys/${revoked.id}`);
  const expired = await tenant.createKey();
  await gateway.em.fork().execute('update api_keys set expires_at = now() where id = ?', [expired.id]);
  await waitFor(
    async () => (await gateway.call('GET', `${tenant.path}/products`, { headers: expired.bearer })).status === 401,
    { what: 'the key to expire' },
  );
  const member = await gateway.signUp();
  await gateway.addMember(tenant, member);
  const signedOut = await gateway.signUp();
  await gateway.addMember(tenant, signedOut, 'owner');
  await signedOut.call('POST', '/api/auth/sign-out');

  headersOf = {
    none: {},
    'key of another project of the team': { authorization: `Bearer ${siblingKey.body.secret}` },
    'key of another team': (await otherTenant.createKey()).bearer,
    'revoked key': revoked.bearer,
    'expired key': expired.bearer,
    'session of an owner': { cookie: owner.cookie },
    'session of a member': { cookie: member.cookie },
    'session of another team': { cookie: otherTenant.owner.cookie },
    'ended session': { cookie: signedOut.cookie },
    'session from another site': { cookie: owner.cookie, origin: 'https://evil.example' },
  };
  const keysByScope = async (scopesFor: (scope: Scope) => Scope[]) =>
    Object.fromEntries(
      await Promise.all(SCOPES.map(async scope => [scope, (await tenant.createKey(scopesFor(scope))).bearer] as const)),
    );
  keyWith = await keysByScope(scope => [scope]);
  for (const { access } of allOperations)
    if (access.kind === 'project' && access.scopes.length > 1)
      keyWith[access.scopes.join()] = (await tenant.createKey([...access.scopes])).bearer;
  keyWithout = await keysByScope(scope => SCOPES.filter(other => other !== scope));
});
afterAll(() => gateway[Symbol.asyncDispose]());

function credentialHeaders(credential: Credential, { access }: Operation): Record<string, string> {
  const scopes = access.kind === 'project' ? access.scopes : (['products:read'] as const);
  if (credential === 'right scope') return keyWith[scopes.join()] ?? {};
  if (credential === 'all other scopes') return keyWithout[scopes[0]] ?? {};
  return headersOf[credential];
}

/** The operation's path; only the ids of the team and the project exist. */
const pathOf = ({ path }: Operation, at = { teamId, projectId }) =>
  path
    .replace(':teamId', at.teamId)
    .replace(':projectId', at.projectId)
    .replaceAll(/:(\w+)/g, (_, name: string) => `some${name}`);

const callWith = (
  operation: Operation,
  headers: Record<string, string>,
  at?: Parameters<typeof pathOf>[1],
): Promise<HttpResponse> =>
  gateway.call(operation.method, pathOf(operation, at), {
    headers,
    // The gateway's own operations reject this body, so that no test case changes data.
    ...(operation.body && { body: { nonsense: true } }),
  });

const table = allOperations.flatMap(operation =>
  Object.entries(EXPECTED[operation.access.kind]).map(([credential, expected]) => ({
    id: operation.id,
    operation,
    credential: credential as Credential, // its keys are typed as string
    expected: ownersOnly(operation) && credential === 'session of a member' ? 403 : expected,
  })),
);

/** Returns 200 for an authorized request, even if the gateway's own operation then rejected its content. */
function outcomeOf({ service }: Operation, { status }: HttpResponse): number {
  return service === 'gateway' && [201, 400, 404].includes(status) ? 200 : status;
}

function ownersOnly({ access }: Operation): boolean {
  return access.kind === 'team' && access.role === 'owner';
}

describe('an operation', () => {
  it.each(table)('S3: $id with $credential gets $expected', async ({ operation, credential, expected }) => {
    const before = gateway.received().length;
    const response = await callWith(operation, credentialHeaders(credential, operation));
    expect(outcomeOf(operation, response)).toBe(expected);
    expect(gateway.received().length - before).toBe(expected === 200 && operation.service !== 'gateway' ? 1 : 0);
    expect(response.body.error?.details?.requiredScope).toBe(
      credential === 'all other scopes' && operation.access.kind === 'project' ? operation.access.scopes[0] : undefined,
    );
  });

  it('for owners is forbidden to members', async () => {
    const operations = allOperations.filter(ownersOnly);
    expect(operations).not.toEqual([]);
    for (const operation of operations)
      expect(await callWith(operation, headersOf['session of a member'])).toMatchObject({ status: 403 });
  });

  it('reaches its service, anonymously if the service authenticates it', async () => {
    for (const operation of allOperations.filter(({ service }) => service !== 'gateway')) {
      const { body } = await callWith(
        operation,
        headersOf[ownersOnly(operation) ? 'session of an owner' : 'session of a member'],
      );
      const url = operation.access.kind === 'signature' ? DELIVERIES_PATH : pathOf(operation);
      expect(body).toMatchObject({ service: operation.service, url });
      const isAnonymous = operation.access.kind === 'signature' || operation.access.kind === 'portal-token';
      expect(body.principal.kind).toBe(isAnonymous ? 'anonymous' : 'user');
    }
  });

  it('S3: is refused to a key with one scope unless it needs that scope alone, and says which one is missing', async () => {
    for (const operation of allOperations) {
      const { access } = operation;
      for (const scope of access.kind === 'project' ? SCOPES : []) {
        const missing = access.kind === 'project' && access.scopes.find(required => required !== scope);
        const response = await callWith(operation, keyWith[scope] ?? {});
        const seen = [outcomeOf(operation, response), response.body.error?.details?.requiredScope];
        expect({ id: operation.id, scope, seen }).toEqual({
          id: operation.id,
          scope,
          seen: missing ? [403, missing] : [200, undefined],
        });
      }
    }
  });

  it('S3: needs referrals:read alone to apply a referral, subscriptions:write for checkout and portal links', () => {
    const accessOf = (id: string): unknown => allOperations.find(operation => operation.id === id)?.access;
    expect(accessOf('applyReferral')).toEqual({ kind: 'project', scopes: ['referrals:read'] });
    expect(accessOf('createCheckout')).toEqual({ kind: 'project', scopes: ['subscriptions:write'] });
    expect(accessOf('createPortalSession')).toEqual({ kind: 'project', scopes: ['subscriptions:write'] });
    expect(accessOf('createPrice')).toEqual({ kind: 'project', scopes: ['products:write'] });
  });

  it('S2: on another team gets one and the same 403, whether or not team and project exist, and calls no service', async () => {
    const other = await gateway.createTenant();
    const before = gateway.received().length;
    const projects = [
      { teamId, projectId },
      { teamId, projectId: ProjectId.create() },
      { teamId: TeamId.create(), projectId: ProjectId.create() },
      { teamId: TeamId.create(), projectId },
    ];
    const ofTeams = allOperations.filter(({ path, access }) => path.includes(':teamId') && access.kind !== 'signature');
    for (const operation of ofTeams)
      for (const headers of [headersOf['key of another team'], { cookie: other.owner.cookie }]) {
        const responses = await Promise.all(projects.map(at => callWith(operation, headers, at)));
        expect(new Set(responses.map(withoutRequestId)).size, operation.id).toBe(1);
        expect(responses[0], operation.id).toMatchObject({ status: 403, body: { error: { code: 'forbidden' } } });
        expect(responses[0]?.body, operation.id).not.toHaveProperty('error.details');
      }
    expect(gateway.received()).toHaveLength(before);
  });

  it('S2: in a project of another team, under one’s own, gets what a project gets that does not exist', async () => {
    const other = await gateway.createTenant();
    const before = gateway.received().length;
    const cookie = { cookie: other.owner.cookie };
    const key = (await other.createKey()).bearer;
    for (const operation of allOperations.filter(({ path }) => path.includes(':projectId'))) {
      for (const [headers, refusal] of [
        [cookie, { status: 404, body: { error: { code: 'project_not_found' } } }],
        [key, { status: 403, body: { error: { code: 'forbidden' } } }],
      ] as const) {
        const responses = await Promise.all(
          [projectId, ProjectId.create()].map(id =>
            callWith(operation, headers, { teamId: other.teamId, projectId: id }),
          ),
        );
        expect(new Set(responses.map(withoutRequestId)).size, operation.id).toBe(1);
        expect(responses[0], operation.id).toMatchObject(refusal);
      }
    }
    expect(gateway.received()).toHaveLength(before);
  });

  it('S2: is opened by no session or key next to a bad one of the other kind', async () => {
    const sessionAndBadKey = { ...headersOf['session of an owner'], ...headersOf['revoked key'] };
    expect((await gateway.call('GET', '/api/service/teams', { headers: sessionAndBadKey })).status).toBe(401);
    const keyAndSession = { ...headersOf['key of another team'], ...headersOf['session of an owner'] };
    const path = `/api/service/teams/${teamId}/projects/${projectId}/products`;
    expect((await gateway.call('GET', path, { headers: keyAndSession })).status).toBe(403);
  });

  it('S6: gets 415 for a form or plain text, which another site can send without being asked', async () => {
    const { cookie = '' } = headersOf['session of an owner'];
    const types = [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'application/jsonp',
      '',
    ];
    for (const operation of allOperations.filter(({ body, access }) => body && access.kind !== 'portal-token'))
      for (const type of types) {
        const headers = { cookie, 'content-type': type };
        const { status } = await gateway.call(
          operation.method,
          pathOf(operation).replace('somekeyId', ApiKeyId.example),
          { headers, body: '{"name":"x"}' },
        );
        expect({ id: operation.id, type, status }).toEqual({ id: operation.id, type, status: 415 });
      }
  });
});

describe('a session cookie', () => {
  it.each([
    [{}, 200],
    [{ origin: 'http://localhost:8080' }, 200],
    [{ 'sec-fetch-site': 'same-origin' }, 200],
    [{ 'sec-fetch-site': 'none' }, 200],
    [{ 'sec-fetch-site': 'cross-site' }, 403],
    [{ 'sec-fetch-site': 'same-site' }, 403],
    [{ origin: 'http://localhost:8080', 'sec-fetch-site': 'cross-site' }, 403],
    [{ origin: 'https://evil.example' }, 403],
    [{ origin: 'http://localhost' }, 403],
    [{ origin: 'http://localhost:8080.evil.example' }, 403],
    [{ origin: 'https://localhost:8080' }, 403],
    [{ origin: 'http://localhost:1' }, 403],
    [{ origin: 'http://localhost:8080/' }, 403],
    [{ origin: 'null' }, 403],
  ])('S6: with %j gets %i for reads and writes', async (headers, expected) => {
    const { cookie } = headersOf['session of an owner'];
    const path = `/api/service/teams/${teamId}/projects/${projectId}/products`;
    for (const method of ['GET', 'POST']) {
      const response = await gateway.call(method, path, { headers: { ...headers, cookie: cookie ?? '' } });
      expect(response.status).toBe(expected);
      expect(response.headers.get('access-control-allow-origin')).toBeNull();
    }
  });

  it('S6: is checked for its origin, an API key is not', async () => {
    const headers = { ...keyWith['products:read'], origin: 'https://shop.example', 'sec-fetch-site': 'cross-site' };
    const path = `/api/service/teams/${teamId}/projects/${projectId}/products`;
    const response = await gateway.call('GET', path, { headers });
    expect(response.status).toBe(200);
    expect(response.headers.get('access-control-allow-origin')).toBeNull();
  });
});
