import { allOperations } from '@billing/contracts/operations/index';
import { beforeAll, describe, expect, it } from 'vitest';
import { ok, type ApiResponse } from '../system/http.ts';
import { mapConcurrently } from '../system/map-concurrently.ts';
import { callerOf, fieldsOf, requestTo } from '../system/operations/requests.ts';
import { attackedTenant, type Attacked } from './attacked.ts';

/** Some of the values, as they are sent, that the schema of such parameters refuses; its own test has all of them. */
const NEVER = ['-1', '1.5', '0x10', '1e3', '%201', '1%00', '', 'NaN', '٣', '9'.repeat(17), '1'.repeat(5_000)];
/** Forms in which one parameter is given several times. */
const REPEATED = ['=1&NAME=2', '[]=1', '[0]=1', '[a]=1', '.a=1', '%5B%5D=1'];

const lists = allOperations.filter(({ method, query }) => method === 'GET' && fieldsOf(query).includes('limit'));
/** Those with a total and an offset; the others are read by cursor alone. */
const counted = lists.filter(({ query }) => fieldsOf(query).includes('offset'));
const windows = allOperations.flatMap(operation =>
  fieldsOf(operation.query)
    .filter(field => /Days$|^days$/.test(field))
    .map(field => ({ operation, field })),
);

let attacked: Attacked;
beforeAll(async () => {
  attacked = await attackedTenant();
});

async function get(operation: (typeof lists)[number], query: string) {
  const { tenant, resources } = attacked;
  const [path, example = ''] = requestTo(operation, tenant, resources).path.split('?');
  const metric = /metric=\w+/.exec(example)?.[0];
  const search = metric ? `${metric}&${query}` : query;
  const { status, body } = await callerOf(operation, tenant).get(`${path}?${search}`);
  const fields = (body.error?.details?.fields ?? []) as { path: string }[];
  return {
    status,
    body,
    named: fields.map(({ path: field }) => field),
    row: `${operation.id}?${search}`.slice(0, 120),
  };
}

/** Where a list goes on. */
const pageOf = (operation: (typeof lists)[number], body: ApiResponse['body']) =>
  (counted.includes(operation) ? body.pagination : body) as { readonly nextCursor: string | null }; // as the contract says
const otherOrder = ({ id }: (typeof lists)[number]) => (id === 'listEvents' ? 'desc' : 'oldest');
const itemsOf = (body: object): unknown[] => Object.values(body).filter(Array.isArray).flat();
/** What names the items of a page; a delivery may be tried again meanwhile. */
const namesIn = (body: object): unknown[] => itemsOf(body).map(item => (item as { readonly id?: string }).id ?? item); // of records

describe('pages and windows', () => {
  it('S20: a limit or offset that is negative, broken, in another notation, empty, huge or repeated is 400 and named, in every list', async () => {
    expect(lists.length).toBeGreaterThan(8);
    const encoded = (value: string) => (value.includes('%') ? value : encodeURIComponent(value));
    const cases = lists.flatMap(operation =>
      ['limit', 'offset'].flatMap(field => [
        ...NEVER.map(value => ({ operation, field, query: `${field}=${encoded(value)}` })),
        ...REPEATED.map(form => ({ operation, field, query: field + form.replace('NAME', field) })),
      ]),
    );
    await mapConcurrently(cases, async ({ operation, field, query }) => {
      const { row, status, named } = await get(operation, query);
      expect({ row, status }, field).toEqual({ row, status: 400 });
      expect(
        named.some(name => name.startsWith(field)),
        row,
      ).toBe(true);
    });
    const zero = await mapConcurrently(lists, operation => get(operation, 'limit=0'));
    expect(new Set(zero.map(({ status }) => status))).toEqual(new Set([400]));
  });

  it('S20: a limit above a hundred counts as a hundred, and an offset past the end gives an empty page or names the cursor', async () => {
    const tops = ['101', '1000', '1000000000', '9007199254740991', '9'.repeat(16)];
    await mapConcurrently(
      lists.flatMap(operation => tops.map(limit => ({ operation, limit }))),
      async ({ operation, limit }) => {
        const { row, status, body } = await get(operation, `limit=${limit}`);
        const shown = counted.includes(operation) ? (body.pagination.limit as unknown) : 100;
        expect({ row, status, limit: shown }).toEqual({ row, status: 200, limit: 100 });
      },
    );
    await mapConcurrently(counted, async operation => {
      const { row, status, body } = await get(operation, 'offset=10000');
      expect({ row, status }).toEqual({ row, status: 200 });
      expect(itemsOf(body), row).toEqual([]);
      const far = await get(operation, 'offset=2147483647');
      expect({ row, status: far.status }).toEqual({ row, status: 400 });
      expect(JSON.stringify(far.body), row).toContain('pass `cursor`');
    });
  });

  it('S20: a cursor that is broken, forged or of another list is never an error of ours', async () => {
    const forged = [
      { at: '2026-01-01T00:00:00Z', ids: ["' or 1=1 --"] },
      { at: '0000-01-01T00:00:00Z', ids: ['a'] },
      { at: null, ids: ['a', 'b'] },
      { at: 'now', ids: [] },
    ];
    const broken = ['', '%00', 'e30', 'bnVsbA', "'", 'x'.repeat(5_000)];
    const marks = await mapConcurrently(lists, async operation => {
      const { body } = await get(operation, 'limit=1');
      const { nextCursor } = pageOf(operation, body);
      const text = Buffer.from(nextCursor ?? '', 'base64url').toString();
      return { operation, mark: /"list":"([^"]+)"/.exec(text)?.[1] };
    });
    const known = marks.flatMap(({ operation, mark }) => (mark === undefined ? [] : [{ operation, mark }]));
    expect(new Set(known.map(({ mark }) => mark)).size).toBe(known.length);
    expect(known.length).toBeGreaterThan(3);
    const cursorOf = (list: string, position: object) =>
      Buffer.from(JSON.stringify({ list, ...position, offset: 0 })).toString('base64url');
    const cases = known.flatMap(({ operation, mark }, index) => {
      const others = forged.map(position => cursorOf(known.at(index - 1)?.mark ?? '', position));
      return [
        ...[...broken, ...others].map(cursor => ({ operation, cursor, isOwn: false })),
        ...forged.map(position => ({ operation, cursor: cursorOf(mark, position), isOwn: true })),
      ];
    });
    await mapConcurrently(cases, async ({ operation, cursor, isOwn }) => {
      const { row, status, named } = await get(operation, `cursor=${cursor}`);
      const refusal = { row, status: 400, named: ['cursor'] };
      const page = { row, status: 200, named: [] };
      expect(isOwn ? [refusal, page] : [refusal]).toContainEqual({ row, status, named });
    });
  });

  it('S20: the pages of a list by cursor are the list, in each of its orders', async () => {
    const orders = lists.flatMap(operation => [
      { operation, order: '' },
      ...(fieldsOf(operation.query).includes('order') ? [{ operation, order: `&order=${otherOrder(operation)}` }] : []),
    ]);
    await mapConcurrently(orders, async ({ operation, order }) => {
      const whole = await get(operation, `limit=100${order}`);
      const walked: unknown[] = [];
      for (let cursor: string | null = ''; cursor !== null;) {
        const { row, status, body } = await get(operation, `limit=1${order}${cursor && `&cursor=${cursor}`}`);
        expect({ row, status }).toEqual({ row, status: 200 });
        walked.push(...namesIn(body));
        // Ascending, the events go on for ever.
        cursor = body.hasMore === false ? null : pageOf(operation, body).nextCursor;
      }
      expect(walked, whole.row).toEqual(namesIn(whole.body));
    });
  });

  it('S20: a list without a limit is bounded: it says how many it returns at most, and whether there is more', async () => {
    await mapConcurrently(counted, async operation => {
      const { row, body } = await get(operation, '');
      expect(body.pagination.limit, row).toBeLessThanOrEqual(1_000);
      expect(body.pagination, row).toEqual({
        limit: expect.any(Number),
        offset: 0,
        total: expect.any(Number),
        totalIsExact: true,
        hasMore: false,
        nextCursor: null,
      });
    });
  });

  it('S20: a window of days below one, above a year or in another form is 400 and named', async () => {
    expect(windows.length).toBeGreaterThan(1);
    const days = ['0', '-1', '366', '1000000000', '1e20', '9'.repeat(40), '1.5', '0x10', '', 'all', 'NaN', '１'];
    await mapConcurrently(
      windows.flatMap(one => days.map(value => ({ ...one, value }))),
      async ({ operation, field, value }) => {
        const { row, status, named } = await get(operation, `${field}=${encodeURIComponent(value)}`);
        expect({ row, status, named }).toEqual({ row, status: 400, named: [field] });
      },
    );
    for (const { operation, field } of windows) expect((await get(operation, `${field}=365`)).status).toBe(200);
  });

  it('S20: a parameter that is unknown or has another form is 400 and named', async () => {
    for (const [id, query, field] of [
      ['listCustomers', 'page=2', 'page'],
      ['listProducts', 'activeOnly=yes', 'activeOnly'],
      ['listPrices', 'productId=prod_1', 'productId'],
      ['listInvoices', 'status=late', 'status'],
      ['listPayments', 'status=late', 'status'],
    ] as const) {
      const operation = lists.find(one => one.id === id);
      const { row, status, named } = await get(operation ?? never(id), query);
      expect({ row, status, named }).toEqual({ row, status: 400, named: [field] });
    }
  });

  it('S50: every operation that returns a list of records takes limit, and offset or cursor', async () => {
    const reads = allOperations.filter(({ method }) => method === 'GET');
    const { tenant, resources } = attacked;
    await ok(tenant.api.put(`${tenant.P}/portal-config`, { billingDetails: { enabled: true } }));
    const responses = await mapConcurrently(reads, async operation => {
      const { path } = requestTo(operation, tenant, resources);
      return { operation, ...(await callerOf(operation, tenant).get(path)) };
    });
    expect(responses.filter(({ status }) => status !== 200)).toEqual([]);
    const ofRecords = responses.filter(({ operation, body }) => !WHOLE.has(operation.id) && hasRecords(body as object));
    for (const { operation, body } of ofRecords) {
      const fields = fieldsOf(operation.query);
      expect(fields, operation.id).toEqual(expect.arrayContaining(['limit', 'cursor']));
      expect(body, operation.id).toHaveProperty(fields.includes('offset') ? 'pagination.total' : 'nextCursor');
    }
    expect(ofRecords.length).toBeGreaterThan(8);
  });
});

/** The processor alone has a customer's items, at most 250 of them; a document of the catalog is whole, and has a limit of its own. */
const WHOLE = new Set(['listInvoiceItems', 'exportCatalog']);

/** Whether a response has a list of things with ids. */
const hasRecords = (body: object): boolean =>
  itemsOf(body).some(record => typeof record === 'object' && record !== null && 'id' in record);

function never(id: string): never {
  throw new Error(`There is no list ${id}.`);
}
