import { BillingClient, type Customer } from '@billing/client';
import { expect, it } from 'vitest';
import { csvLines } from './csv-lines.ts';

const FORMAT = { separator: ',', decimalMark: '.' } as const;

/** A list of customers, newest first, to which another one is added by every request. */
function growingList(count: number) {
  let newest = count;
  const requests: string[] = [];
  const page = (url: URL) => {
    const limit = Number(url.searchParams.get('limit'));
    const cursor = url.searchParams.get('cursor');
    const first = cursor === null ? newest - Number(url.searchParams.get('offset')) : Number(cursor) - 1;
    const ids = Array.from({ length: Math.min(limit, first) }, (_, index) => first - index);
    newest += 1;
    const last = ids.at(-1) ?? 1;
    const nextCursor = last > 1 ? String(last) : null;
    const pagination = { total: newest, totalIsExact: true, hasMore: nextCursor !== null, nextCursor };
    return { customers: ids.map(id => ({ id: `pc_${id}` })), pagination };
  };
  const client = new BillingClient({
    baseUrl: 'http://billing.example',
    apiKey: 'key',
    teamId: 'team',
    projectId: 'proj',
    fetch: async input => {
      const url = new URL(new Request(input).url);
      requests.push(url.search);
      return Response.json(page(url));
    },
  });
  return { list: client.customers.list({ limit: 100, offset: 0 }), requests };
}

it('has each customer of a list once, while others are created', async () => {
  const { list, requests } = growingList(250);
  const lines = await csvLines<Customer>(list, [{ title: 'Id', csv: ({ id }) => id }], FORMAT);
  const rows = lines.slice(1).map(line => line.trim());
  expect(rows).toEqual(Array.from({ length: 250 }, (_, index) => `pc_${250 - index}`));
  expect(requests.filter(search => search.includes('offset'))).toHaveLength(1);
});

it('asks for what is loaded of a hundred rows at once', async () => {
  const { list } = growingList(250);
  let [waiting, most] = [0, 0];
  const load = async (id: string) => {
    waiting += 1;
    most = Math.max(most, waiting);
    await Promise.resolve();
    waiting -= 1;
    return `name of ${id}`;
  };
  const lines = await csvLines<Customer>(list, [{ title: 'Name', csv: ({ id }) => load(id) }], FORMAT);
  expect(lines.at(-1)).toBe('name of pc_1\r\n');
  expect(most).toBe(100);
});
