import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { allOperations } from '@billing/contracts/operations/index';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { gatewayEnvironment, GATEWAY_MAIN } from '../system/gateway-copy.ts';
import { Caller, ok } from '../system/http.ts';
import { newEmail, newTenant, type Tenant } from '../system/tenant.ts';
import { mapConcurrently } from '../system/map-concurrently.ts';
import { callerOf, fieldsOf, requestTo } from './requests.ts';
import { newResources, type Resources } from './resources.ts';

const NUL = '\0';

let tenant: Tenant;
let resources: Resources;
beforeAll(async () => {
  tenant = await newTenant();
  resources = await newResources(tenant);
});

/** Returns copies of a body, each with a NUL in another text, in the names of metadata too. */
function withNul(body: Readonly<Record<string, unknown>>): Record<string, unknown>[] {
  return Object.entries(body).flatMap(([name, value]) => {
    if (typeof value === 'string')
      return [NUL, `${value}${NUL}`, `a${NUL}b`].map(hostile => ({ ...body, [name]: hostile }));
    if (name === 'metadata') return [{ [`a${NUL}`]: 'b' }, { a: `b${NUL}` }].map(metadata => ({ ...body, metadata }));
    return [];
  });
}

describe('a NUL byte', () => {
  it('S50: in any text of any body it is 400, and nothing is stored', async () => {
    const writes = allOperations.filter(({ access }) => access.kind !== 'signature' && access.kind !== 'portal-token');
    const cases = writes.flatMap(operation => {
      const { method, path, body } = requestTo(operation, tenant, resources);
      return withNul({ ...(body as object | undefined) }).map(hostile => ({ operation, method, path, body: hostile }));
    });
    expect(cases.length).toBeGreaterThan(40);
    await mapConcurrently(cases, async ({ operation, method, path, body }) => {
      const { status } = await callerOf(operation, tenant).send(method, path, body);
      expect({ id: operation.id, body, status }).toEqual({ id: operation.id, body, status: 400 });
    });
  });

  it('S50: in any parameter of any query it is 400', async () => {
    const cases = allOperations
      .filter(({ access }) => access.kind !== 'signature' && access.kind !== 'portal-token')
      .flatMap(operation => fieldsOf(operation.query).map(field => ({ operation, field })));
    expect(cases.length).toBeGreaterThan(20);
    await mapConcurrently(cases, async ({ operation, field }) => {
      const { method, path, body } = requestTo(operation, tenant, resources);
      for (const value of ['%00', 'a%00', '%00a']) {
        const row = `${operation.id}?${field}=${value}`;
        const { status } = await callerOf(operation, tenant).send(
          method,
          `${path.split('?')[0]}?${field}=${value}`,
          body,
        );
        expect({ row, status }).toEqual({ row, status: 400 });
      }
    });
  });

  it('S50: in what a sign-up sends it is refused, and no account is made', async () => {
    const email = newEmail();
    const account = { email, name: 'Ada' };
    const password = 'a-long-password';
    for (const changed of withNul(account)) {
      const user = new Caller({ origin: inject('gatewayUrl') });
      const { status } = await user.post('/api/auth/sign-up/email', { ...changed, password });
      expect({ changed, status }).toEqual({ changed, status: 400 });
      expect(user.cookie).toBe('');
    }
    const owner = new Caller({ origin: inject('gatewayUrl') });
    await ok(owner.post('/api/auth/sign-up/email', { ...account, password }));
  });
});

describe('settings that would expose sessions', () => {
  it('S50: with an https address and no trusted proxy the gateway does not start, and says what to set', async () => {
    const { TRUST_PROXY: _trust, ...inherited } = await gatewayEnvironment(inject('dataDir'));
    const env = { ...inherited, PUBLIC_URL: 'https://billing.example.com', PORT: '0' };
    const gateway = spawn(process.execPath, [GATEWAY_MAIN], { env, stdio: ['ignore', 'ignore', 'pipe'] });
    const [output, [code]] = await Promise.all([text(gateway.stderr), once(gateway, 'exit')]);
    expect(code).toBe(1);
    expect(output).toMatch(/^gateway: .*TRUST_PROXY.*\n$/);
  });
});

describe('a list', () => {
  it('S50: of records takes limit, and offset or cursor, in every operation that returns one', async () => {
    const reads = allOperations.filter(({ method, access }) => method === 'GET' && access.kind !== 'portal-token');
    const responses = await mapConcurrently(reads, async operation => ({
      operation,
      ...(await callerOf(operation, tenant).get(requestTo(operation, tenant, resources).path)),
    }));
    expect(responses.filter(({ status }) => status !== 200)).toEqual([]);
    const lists = responses.filter(({ body }) => hasRecords(body as object));
    for (const { operation, body } of lists) {
      const fields = fieldsOf(operation.query);
      const isCounted = fields.includes('offset');
      expect(fields, operation.id).toEqual(expect.arrayContaining(['limit', 'cursor']));
      expect(body, operation.id).toHaveProperty(isCounted ? 'pagination.total' : 'nextCursor');
    }
    expect(lists.length).toBeGreaterThan(8);
  });
});

/** Whether a response has a list of things with ids. */
const hasRecords = (body: object): boolean =>
  Object.values(body)
    .filter(Array.isArray)
    .flat()
    .some(record => typeof record === 'object' && record !== null && 'id' in record);
