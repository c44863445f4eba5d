import { createHmac, createPrivateKey, generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import { readdir, readFile, readlink } from 'node:fs/promises';
import { allOperations } from '@billing/contracts/operations/index';
import { SERVICES, type Operation } from '@billing/contracts/operation';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { readPids } from '../system/running-system.ts';
import { readSecrets } from '../system/servers.ts';
import { newTenant, type Tenant } from '../system/tenant.ts';
import { mapConcurrently } from '../system/map-concurrently.ts';
import { requestTo, type OperationRequest } from '../system/operations/requests.ts';

const INNER = SERVICES.filter(service => service !== 'gateway');

let tenant: Tenant;
let other: Tenant;
let gatewayKey: KeyObject;
let publicKeyPem: string;
beforeAll(async () => {
  [tenant, other] = await Promise.all([newTenant(), newTenant()]);
  const { identityPrivateKey, identityPublicKey } = await readSecrets();
  gatewayKey = createPrivateKey(Buffer.from(identityPrivateKey, 'base64').toString());
  publicKeyPem = Buffer.from(identityPublicKey, 'base64').toString();
});

const encode = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url');
const nowSeconds = () => Math.floor(Date.now() / 1_000);

/** A request to an operation, sent directly to its service. */
interface DirectCall extends OperationRequest {
  readonly operation: Operation;
}

const callOf = (operation: Operation, names: Pick<Tenant, 'teamId' | 'projectId'> = tenant): DirectCall => ({
  operation,
  ...requestTo(operation, names),
});

/** The claims of a token with every right in the tenant's project, for one request. */
const claims = ({ operation, method, path }: DirectCall, changes: object = {}) => ({
  caller: null,
  method,
  path: path.split('?')[0],
  principal: {
    kind: 'user',
    userId: tenant.userId,
    teamId: tenant.teamId,
    projectId: tenant.projectId,
    role: 'owner',
  },
  aud: operation.service,
  iat: nowSeconds(),
  exp: nowSeconds() + 60,
  ...changes,
});

/** Signs claims as the gateway does, by default with its key. */
function tokenOf(payload: object, key = gatewayKey, header: object = { alg: 'EdDSA', typ: 'JWT' }): string {
  const text = `${encode(header)}.${encode(payload)}`;
  return `${text}.${sign(null, Buffer.from(text), key).toString('base64url')}`;
}

/** Tokens of which a service must accept none, by what is wrong with them. */
function badTokens(direct: DirectCall): Record<string, string | undefined> {
  const good = claims(direct);
  const [header = '', payload = '', signature = ''] = tokenOf(good).split('.');
  const stranger = generateKeyPairSync('ed25519').privateKey;
  const unsigned = (alg: string) => `${encode({ alg, typ: 'JWT' })}.${payload}.`;
  const hmacText = `${encode({ alg: 'HS256', typ: 'JWT' })}.${payload}`;
  const hmac = createHmac('sha256', publicKeyPem).update(hmacText).digest('base64url');
  const otherService = INNER.find(name => name !== direct.operation.service) ?? 'gateway';
  const hourAgo = nowSeconds() - 3_600;
  return {
    'none at all': undefined,
    empty: '',
    'no token': 'Bearer x',
    'the tenant’s API key': tenant.secret,
    'signed by a key of one’s own': tokenOf(good, stranger),
    'with a key of one’s own in its header': tokenOf(good, stranger, {
      alg: 'EdDSA',
      typ: 'JWT',
      jwk: stranger.export({ format: 'jwk' }),
    }),
    'alg none': unsigned('none'),
    'alg None': unsigned('None'),
    'no signature': unsigned('EdDSA'),
    'alg none with a real signature': `${encode({ alg: 'none' })}.${payload}.${signature}`,
    'HMAC with the public key': `${hmacText}.${hmac}`,
    'of another service': tokenOf(claims(direct, { aud: otherService })),
    'of the gateway': tokenOf(claims(direct, { aud: 'gateway' })),
    'of no service': tokenOf(claims(direct, { aud: undefined })),
    'of no services': tokenOf(claims(direct, { aud: [] })),
    'of another path': tokenOf(claims(direct, { path: `${direct.path.split('?')[0]}/x` })),
    'of no path': tokenOf(claims(direct, { path: undefined })),
    'of another method': tokenOf(claims(direct, { method: direct.method === 'GET' ? 'DELETE' : 'GET' })),
    'of every method and path': tokenOf(claims(direct, { method: '*', path: '*' })),
    'expired ten seconds ago': tokenOf(claims(direct, { iat: nowSeconds() - 70, exp: nowSeconds() - 10 })),
    'without an end': tokenOf(claims(direct, { exp: undefined })),
    'of services by pattern': tokenOf(claims(direct, { aud: '*' })),
    'expired an hour ago': tokenOf(claims(direct, { iat: hourAgo, exp: hourAgo + 60 })),
    'valid in an hour': tokenOf(claims(direct, { nbf: nowSeconds() + 3_600 })),
    'with another payload': [header, encode(claims(direct, { extra: 1 })), signature].join('.'),
    'with an altered signature': [
      header,
      payload,
      `${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`,
    ].join('.'),
    'without a principal': tokenOf(claims(direct, { principal: undefined })),
    'with a principal of an unknown kind': tokenOf(claims(direct, { principal: { kind: 'admin' } })),
    twice: `${tokenOf(good)}, ${tokenOf(good)}`,
  };
}

/** Sends a request directly to the service of its operation. */
async function call({ operation, method, path, body }: DirectCall, token: string | undefined) {
  const { parts } = await readPids(inject('dataDir'));
  const response = await fetch(`${parts[operation.service]?.url}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${tenant.secret}`,
      'x-request-id': 'the-same',
      ...(token !== undefined && { 'x-billing-identity': token }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: response.status, text: await response.text(), id: operation.id };
}

const innerOperations = allOperations.filter(({ service }) => service !== 'gateway');
/** One operation of each service that reads, or else any. */
const oneOfEach = INNER.flatMap(service => {
  const own = innerOperations.filter(operation => operation.service === service);
  return own.find(({ method }) => method === 'GET') ?? own[0] ?? [];
});

describe('a direct call to an internal service', () => {
  it('S15: a token that is missing, forged, altered, expired, unsigned, or made for another service, method or path gets one and the same 401', async () => {
    expect(oneOfEach.map(({ service }) => service)).toEqual(INNER);
    const calls = oneOfEach
      .map(operation => callOf(operation))
      .flatMap(direct => Object.entries(badTokens(direct)).map(([what, token]) => ({ direct, what, token })));
    const responses = await mapConcurrently(calls, async ({ direct, what, token }) => ({
      what: `${direct.operation.service}: ${what}`,
      ...(await call(direct, token)),
    }));
    for (const { what, status, text } of responses) {
      expect({ what, status }).toEqual({ what, status: 401 });
      expect(text, what).toBe(responses[0]?.text);
    }
  });

  it('S15: every operation, path and method of every service is 401 without a token, but its health', async () => {
    const responses = await mapConcurrently(innerOperations, operation => call(callOf(operation), undefined));
    for (const { id, status } of responses) expect({ id, status }).toEqual({ id, status: 401 });
    const { parts } = await readPids(inject('dataDir'));
    const paths = [
      '/',
      '/deliveries',
      '/portal/x',
      '/portal/return/x',
      '/portal/assets/x',
      '/health',
      '/health/x/../..',
      '/metrics',
    ];
    const others = await mapConcurrently(
      INNER.flatMap(service => ['GET', 'POST'].flatMap(method => paths.map(path => ({ service, method, path })))),
      async ({ service, method, path }) => ({
        what: `${service}: ${method} ${path}`,
        status: (await fetch(`${parts[service]?.url}${path}`, { method })).status,
      }),
    );
    for (const { what, status } of others) expect({ what, status }).toEqual({ what, status: 401 });
    for (const service of INNER) expect((await fetch(`${parts[service]?.url}/health/ready`)).status).toBe(200);
  });

  it('S15: a good token opens its own team and project, and 403 any other', async () => {
    const reads = oneOfEach.filter(({ access, method }) => access.kind === 'project' && method === 'GET');
    expect(reads.length).toBeGreaterThan(3);
    for (const operation of reads) {
      const elsewhere = { teamId: tenant.teamId, projectId: other.projectId };
      const statuses = await mapConcurrently([tenant, other, elsewhere], async names => {
        const direct = callOf(operation, names);
        return (await call(direct, tokenOf(claims(direct)))).status;
      });
      expect({ id: operation.id, statuses }).toEqual({
        id: operation.id,
        statuses: [expect.toBeOneOf([200, 404]), 403, 403],
      });
    }
  });

  it('S15: no process of the system listens on another address than the machine’s own', async () => {
    const { parts, supervisor } = await readPids(inject('dataDir'));
    const listening = await listeningSockets();
    for (const [name, { pid, url = '' }] of [...Object.entries(parts), ['supervisor', supervisor] as const]) {
      const { port } = new URL(url);
      const inodes = pid === undefined ? new Set<string>() : await socketsOf(pid);
      const own = listening.filter(socket => socket.port === Number(port) || inodes.has(socket.inode));
      expect(own.length, name).toBeGreaterThan(0);
      for (const { address } of own) expect({ name, address }).toEqual({ name, address: expect.toBeOneOf(LOOPBACK) });
    }
  });
});

/** 127.0.0.1, ::1 and ::ffff:127.0.0.1, as the kernel writes them. */
const LOOPBACK = ['0100007F', '00000000000000000000000001000000', '0000000000000000FFFF00000100007F'];

/** Reads the listening sockets of this machine: `ss -ltn` without the tool. */
async function listeningSockets() {
  const tables = await Promise.all(
    ['tcp', 'tcp6'].map(table => readFile(`/proc/net/${table}`, 'utf8').catch(() => '')),
  );
  return tables.flatMap(table =>
    table.split('\n').flatMap(line => {
      const [, local = '', , state, , , , , , inode = ''] = line.trim().split(/\s+/);
      const [address = '', port = ''] = local.split(':');
      return state === '0A' ? [{ address, port: Number.parseInt(port, 16), inode }] : [];
    }),
  );
}

/** The inodes of a process's sockets. */
async function socketsOf(pid: number): Promise<Set<string>> {
  const files = await readdir(`/proc/${pid}/fd`);
  const links = await Promise.all(files.map(file => readlink(`/proc/${pid}/fd/${file}`).catch(() => '')));
  return new Set(links.flatMap(link => /^socket:\[(\d+)\]$/.exec(link)?.[1] ?? []));
}
