import { allOperations } from '@billing/contracts/operations/index';
import { beforeAll, describe, expect, it } from 'vitest';
import { ok } from '../system/http.ts';
import { newTenant, type Tenant } from '../system/tenant.ts';
import { mapConcurrently } from '../system/map-concurrently.ts';
import { callerOf, fieldsOf, idPlacesOf, requestTo } from './requests.ts';
import { newResources, type Resources } from './resources.ts';
import { SQL_TEXTS } from './sql-texts.ts';

let tenant: Tenant;
let resources: Resources;
beforeAll(async () => {
  tenant = await newTenant();
  resources = await newResources(tenant);
});

/** Operators of query languages, in place of a text. */
const OPERATORS: readonly unknown[] = [
  { $ne: null },
  { $or: [{}] },
  { $raw: '1=1' },
  { [`id' or '1'='1`]: 1 },
  { __raw: true, sql: '1=1', params: [] },
  { toString: 'x' },
  ['a'],
  true,
];

/** Returns the lists of records in a response, without the page's own numbers. */
const recordsIn = (body: Record<string, unknown>): unknown[] => Object.values(body).filter(Array.isArray).flat();

const lists = allOperations.filter(
  ({ method, query, access }) => method === 'GET' && query && access.kind !== 'portal-token',
);

describe('SQL and operators', () => {
  it('S17: SQL in any query parameter of any list is 400, or selects what a random text selects, and never sleeps', async () => {
    const fields = lists.flatMap(operation => fieldsOf(operation.query).map(field => ({ operation, field })));
    const open = new Set<string>();
    const attempt = async ({ operation, field }: (typeof fields)[number], text: string) => {
      const [path] = requestTo(operation, tenant, resources).path.split('?');
      const row = `${operation.id}?${field}=${text}`;
      const { status, body } = await callerOf(operation, tenant).get(`${path}?${field}=${encodeURIComponent(text)}`);
      expect(status, row).toBeOneOf([200, 400]);
      expect(status === 200 ? recordsIn(body) : [], row).toEqual([]);
      if (status === 200) open.add(`${operation.id}?${field}`);
    };
    // A parameter with a form of its own takes no SQL; one that takes any text gets a quarter of it.
    await mapConcurrently(
      fields.flatMap((field, at) =>
        SQL_TEXTS.filter((_text, index) => (index + at) % 32 === 0).map(text => ({ field, text })),
      ),
      ({ field, text }) => attempt(field, text),
    );
    expect([...open]).toContain('listCustomers?externalId');
    await mapConcurrently(
      fields
        .filter(({ operation, field }) => open.has(`${operation.id}?${field}`))
        .flatMap((field, at) =>
          SQL_TEXTS.filter((_text, index) => (index + at) % 4 === 0).map(text => ({ field, text })),
        ),
      ({ field, text }) => attempt(field, text),
    );
  });

  it('S17: an operator instead of a text, as customerId[$ne]= or {"$ne":null}, is 400 in every query and body', async () => {
    const [path, bearer] = [`${tenant.P}/customers`, tenant.api];
    // Some of them in each place, and each of them in some places.
    const queries = lists.flatMap((operation, place) =>
      fieldsOf(operation.query).flatMap((field, at) =>
        [`${field}[$ne]=`, `${field}[]=a`, `${field}[$gt]=0`, `${field}.$ne=1`, `${field}=a&${field}=b`]
          .filter((_query, index) => (index + at + place) % 2 === 0)
          .map(query => ({ operation, query })),
      ),
    );
    await mapConcurrently(queries, async ({ operation, query }) => {
      const [at] = requestTo(operation, tenant, resources).path.split('?');
      expect((await callerOf(operation, tenant).get(`${at}?${query}`)).status, `${operation.id}?${query}`).toBe(400);
    });
    for (const query of [
      'orderBy=id;select 1',
      'sort[name]=desc',
      'where=1=1',
      'filter[$where]=1',
      'select=*',
      'include=x',
    ])
      expect((await bearer.get(`${path}?${query}`)).status, query).toBe(400);

    const withTexts = allOperations.filter(({ body, access }) => body && access.kind !== 'signature');
    const bodies = withTexts.flatMap((operation, place) => {
      const { method, path: to, body } = requestTo(operation, tenant, resources);
      const texts = Object.entries(body ?? {}).filter(([, value]) => typeof value === 'string');
      return texts.flatMap(([field], at) =>
        OPERATORS.filter((_operator, index) => (index + at + place) % 4 === 0).map(operator => ({
          operation,
          method,
          to,
          body: { ...(body as object), [field]: operator },
        })),
      );
    });
    await mapConcurrently(bodies, async ({ operation, method, to, body }) => {
      const { status } = await callerOf(operation, tenant).send(method, to, body);
      expect({ body, status }, operation.id).toEqual({ body, status: 400 });
    });
  });

  it('S17: SQL as an id in any path is 400 or 404, and changes nothing', async () => {
    const customers = async () => (await ok(tenant.api.get(`${tenant.P}/customers`))).customers;
    const before = await customers();
    const cases = allOperations.flatMap(operation =>
      idPlacesOf(operation)
        .filter(({ part, name }) => part === 'path' && name !== 'userId')
        .flatMap(place => SQL_TEXTS.slice(0, 4).map(text => ({ operation, resource: place.resource, text }))),
    );
    await mapConcurrently(cases, async ({ operation, resource, text }) => {
      const there = { ...resources, [resource]: encodeURIComponent(text) };
      const { method, path, body } = requestTo(operation, tenant, there);
      const { status } = await callerOf(operation, tenant).send(method, path, body);
      expect(status, `${operation.id} with ${text}`).toBeOneOf([400, 404]);
    });
    expect(before.length).toBeGreaterThan(0);
    expect(await customers()).toEqual(before);
  });

  it('S17: SQL in names and metadata is stored as text, letter by letter', async () => {
    const { api, P } = tenant;
    const some = SQL_TEXTS.filter((_text, index) => index % 2 === 0);
    await mapConcurrently(some, async text => {
      const metadata = { [`a ${text}`.replaceAll(/[[\]]/g, '').slice(0, 40)]: text };
      const { product } = await ok(api.post(`${P}/products`, { name: text, description: text, metadata }), 201);
      expect(await ok(api.get(`${P}/products/${product.id}`))).toMatchObject({
        name: text,
        description: text,
        metadata,
      });
    });
  });
});
