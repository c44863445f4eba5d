import { allOperations } from '@billing/contracts/operations/index';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { Caller, ok } from '../system/http.ts';
import { send } from '../system/hostile/send.ts';
import { newEmail, newTenant, type Tenant } from '../system/tenant.ts';
import { mapConcurrently } from '../system/map-concurrently.ts';
import { callerOf, requestTo } from './requests.ts';
import { newResources, type Resources } from './resources.ts';

/** If it shows up in a later response, an object's prototype was changed. */
const MARK = 'polluted-by-test';

/** JSON text of fields; object literals could not name `__proto__`. */
const FIELDS = [
  `"__proto__":{"${MARK}":true}`,
  `"__proto__":{"isActive":false,"status":"active","scopes":["*"]}`,
  `"__proto__":null`,
  `"__proto__":"${MARK}"`,
  `"__proto__":{"__proto__":{"${MARK}":true}}`,
  `"\\u005f\\u005fproto__":{"${MARK}":true}`,
  `"constructor":{"prototype":{"${MARK}":true}}`,
  `"constructor":"${MARK}"`,
  `"prototype":{"${MARK}":true}`,
  `"__defineGetter__":"${MARK}"`,
  `"hasOwnProperty":"${MARK}"`,
  `"toString":"${MARK}"`,
  `"valueOf":{"${MARK}":1}`,
  `"toJSON":"${MARK}"`,
  `"then":"${MARK}"`,
];

let tenant: Tenant;
let resources: Resources & { readonly token: string };
beforeAll(async () => {
  tenant = await newTenant();
  resources = await newResources(tenant);
});

/** Sends JSON text as it is. */
const sendText = (method: string, path: string, text: string, headers: Record<string, string>) =>
  send(inject('gatewayUrl'), {
    method,
    path,
    headers: { 'content-type': 'application/json', ...headers },
    body: Buffer.from(text),
  });

/** The tenant’s credentials as headers. */
const credentials = () => ({
  key: { authorization: `Bearer ${tenant.secret}` },
  session: { cookie: tenant.user.cookie },
});

describe('a prototype', () => {
  it('S19: __proto__, constructor and other members of every object are 400 as fields of any body', async () => {
    const writes = allOperations.filter(({ body, access }) => body && access.kind !== 'signature');
    const { key, session } = credentials();
    const cases = writes.flatMap((operation, at) =>
      FIELDS.filter((_field, index) => (index + at) % 3 === 0).map(field => ({ operation, field })),
    );
    await mapConcurrently(cases, async ({ operation, field }) => {
      const { method, path, body } = requestTo(operation, tenant, resources);
      const text = `${JSON.stringify(body ?? {}).replace(/\}$/, body && Object.keys(body).length > 0 ? ',' : '')}${field}}`;
      const headers = operation.access.kind === 'project' ? key : session;
      const atToken = path.replace('/portal/none/', `/portal/${resources.token}/`);
      const { status } = await sendText(method, atToken, text, headers);
      expect({ text, status }, operation.id).toEqual({ text, status: 400 });
    });
  });

  it('S19: the same inside of metadata and as parameters of a query is 400', async () => {
    const { key } = credentials();
    const { P } = tenant;
    const reserved = FIELDS.filter(field => /__proto__|u005f|constructor|prototype/.test(field));
    await mapConcurrently(reserved, async field => {
      const text = `{"email":"${newEmail()}","metadata":{${field}}}`;
      expect((await sendText('POST', `${P}/customers`, text, key)).status, text).toBe(400);
    });
    const names = ['__proto__', '__proto__[x]', '__proto__.x', 'constructor', 'constructor[prototype][x]', 'toString'];
    const lists = allOperations.filter(({ method, query }) => method === 'GET' && query);
    await mapConcurrently(
      lists.flatMap(operation => names.map(name => ({ operation, name }))),
      async ({ operation, name }) => {
        const [path] = requestTo(operation, tenant, resources).path.split('?');
        const { status } = await callerOf(operation, tenant).get(`${path}?${name}=${MARK}`);
        expect(status, `${operation.id}?${name}`).toBe(400);
      },
    );
  });

  it('S19: metadata that is named like an object’s members stays plain text', async () => {
    const metadata = { toString: 'a', valueOf: 'b', hasOwnProperty: 'c', toJSON: 'd', length: '-1' };
    const { customer } = await ok(tenant.api.post(`${tenant.P}/customers`, { email: newEmail(), metadata }), 201);
    expect((await ok(tenant.api.get(`${tenant.P}/customers/${customer.id}`))).customer.metadata).toEqual(metadata);
  });

  it('S19: afterwards no object of any service has a field more', async () => {
    const reads = allOperations.filter(({ method, access }) => method === 'GET' && access.kind !== 'portal-token');
    const bodies = await mapConcurrently(reads, async operation => {
      const { status, body } = await callerOf(operation, tenant).get(requestTo(operation, tenant, resources).path);
      expect(status, operation.id).toBe(200);
      return JSON.stringify(body);
    });
    bodies.push(String((await new Caller().get(`/portal/${resources.token}`)).body));
    const other = await newTenant();
    bodies.push(JSON.stringify(await ok(other.api.post(`${other.P}/products`, { name: 'Pro' }), 201)));
    expect(bodies.filter(body => body.includes(MARK))).toEqual([]);
  });
});
