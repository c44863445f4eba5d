import type { Operation } from '@billing/contracts/operation';
import { allOperations } from '@billing/contracts/operations/index';
import { beforeAll, expect, it } from 'vitest';
import { ok } from '../system/http.ts';
import { mapConcurrently } from '../system/map-concurrently.ts';
import { callerOf, fieldsOf, idPlacesOf, requestTo } from '../system/operations/requests.ts';
import { newTenant } from '../system/tenant.ts';
import { attackedTenant, type Attacked } from './attacked.ts';
import { SQL_TEXTS } from './sql-texts.ts';

let attacked: Attacked;
beforeAll(async () => {
  attacked = await attackedTenant();
});

/** An operation, and one of the parameters of its query. */
interface Parameter {
  readonly operation: Operation;
  readonly field: string;
}
const withQuery = allOperations.filter(
  ({ query, access }) => query && access.kind !== 'signature' && access.kind !== 'portal-token',
);
const lists = withQuery.filter(({ method }) => method === 'GET');
const parametersOf = (operations: readonly Operation[]): Parameter[] =>
  operations.flatMap(operation => fieldsOf(operation.query).map(field => ({ operation, field })));

/** Sends the request with another query. */
function sendQuery(operation: Operation, query: string) {
  const { tenant, resources } = attacked;
  const { method, path, body } = requestTo(operation, tenant, resources);
  return callerOf(operation, tenant).send(method, `${path.split('?')[0]}?${query}`, body);
}

/** Queries that are 400 everywhere, by what they try. */
const QUERIES: Readonly<Record<string, () => readonly { readonly operation: Operation; readonly query: string }[]>> = {
  // Some of them in each place, and each of them in some places.
  'S17: an operator instead of a text, as customerId[$ne]=': () =>
    parametersOf(lists).flatMap(({ operation, field }, at) =>
      [`${field}[$ne]=`, `${field}[]=a`, `${field}[$gt]=0`, `${field}.$ne=1`, `${field}=a&${field}=b`]
        .filter((_query, index) => (index + at) % 2 === 0)
        .map(query => ({ operation, query })),
    ),
  'S17: a parameter of a query language, as orderBy=id;select 1': () =>
    lists.flatMap(operation =>
      [
        'orderBy=id;select 1',
        'sort[name]=desc',
        'where=1=1',
        'filter[$where]=1',
        'select=*',
        'include=x',
        'page=2',
      ].map(query => ({ operation, query })),
    ),
  'S19: __proto__, constructor and other members of every object': () =>
    lists.flatMap(operation =>
      ['__proto__', '__proto__[x]', '__proto__.x', 'constructor', 'constructor[prototype][x]', 'toString'].map(
        name => ({
          operation,
          query: `${name}=x`,
        }),
      ),
    ),
  'S50: a NUL byte in any parameter': () =>
    parametersOf(withQuery).flatMap(({ operation, field }) =>
      ['%00', 'a%00', '%00a'].map(value => ({ operation, query: `${field}=${value}` })),
    ),
};

it.each(Object.entries(QUERIES))('%s is 400 in every query', async (_what, queries) => {
  const cases = queries();
  expect(cases.length).toBeGreaterThan(60);
  await mapConcurrently(cases, async ({ operation, query }) => {
    const row = `${operation.id}?${query}`;
    const { status } = await sendQuery(operation, query);
    expect({ row, status }).toEqual({ row, status: 400 });
  });
});

/** Returns the lists of records in a response, without the page's own numbers. */
const recordsIn = (body: Record<string, unknown>): unknown[] => Object.values(body).filter(Array.isArray).flat();

it('S17: SQL in any query parameter of any list is 400, or selects what a random text selects, and never sleeps', async () => {
  const open = new Set<string>();
  /** Tries every so many of the texts as a parameter. */
  const attempt = (parameters: readonly Parameter[], every: number) =>
    mapConcurrently(
      parameters.flatMap((parameter, at) =>
        SQL_TEXTS.filter((_text, index) => (index + at) % every === 0).map(text => ({ ...parameter, text })),
      ),
      async ({ operation, field, text }) => {
        const row = `${operation.id}?${field}=${text}`;
        const { status, body } = await sendQuery(operation, `${field}=${encodeURIComponent(text)}`);
        expect(status, row).toBeOneOf([200, 400]);
        expect(status === 200 ? recordsIn(body) : [], row).toEqual([]);
        if (status === 200) open.add(`${operation.id}?${field}`);
      },
    );
  // A parameter with a form of its own takes no SQL; one that takes any text gets a quarter of it.
  const all = parametersOf(lists);
  await attempt(all, 32);
  expect([...open]).toContain('listCustomers?externalId');
  await attempt(
    all.filter(({ operation, field }) => open.has(`${operation.id}?${field}`)),
    4,
  );
});

it('S17: SQL as an id in any path is 400 or 404, and changes nothing', async () => {
  const { tenant, resources } = attacked;
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
  const { api, P } = await newTenant();
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
