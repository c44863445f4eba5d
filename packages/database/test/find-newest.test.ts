import { createTestDatabase } from '@billing/testing/database';
import { runs } from '@billing/testing/runs';
import { defineEntity, p, type EntityManager } from '@mikro-orm/postgresql';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { toPage, type Page } from '@billing/contracts/pagination';
import { cursorText } from '@billing/contracts/cursor';
import { z } from 'zod';
import { openDatabase } from '../src/database.ts';
import { markList } from '../src/cursors.ts';
import { findNewest } from '../src/find-newest.ts';

const Entry = defineEntity({
  name: 'Entry',
  tableName: 'entries',
  properties: { owner: p.text().primary(), id: p.text().primary(), side: p.text().primary(), at: p.datetime() },
});

const resources = new AsyncDisposableStack();
let em: EntityManager;

beforeAll(async () => {
  const { url } = resources.use(await createTestDatabase('portal'));
  const options = { service: 'portal' as const, url, entities: [Entry], migrations: [] };
  em = resources.adopt(openDatabase(options), opened => opened.close()).em;
  await em.execute(
    'create table entries (owner text, id text, side text, at timestamptz, primary key (owner, id, side))',
  );
});
afterAll(() => resources.disposeAsync());
beforeEach(() => em.execute('truncate entries'));

/** What tells entries apart; few times, so that many have the same. */
const entry = fc.tuple(fc.integer({ min: 0, max: 5 }), fc.constantFrom('a', 'b'), fc.integer({ min: 0, max: 3 }));
const keyOf = ([id, side]: readonly [number, string, ...unknown[]]) => `${id}${side}`;
const entries = fc.uniqueArray(entry, { selector: keyOf, maxLength: 12 });

const add = (owner: string, [id, side, second]: readonly [number, string, number]) =>
  em.execute('insert into entries values (?, ?, ?, ?)', [owner, String(id), side, new Date(second * 1_000)]);

const list = async (page: Page) => {
  const order = { time: 'at', ids: ['id', 'side'] };
  const [rows, pagination] = await findNewest(em.fork(), Entry, { owner: 'us' }, page, order);
  return { keys: rows.map(({ id, side }) => id + side), at: rows.map(({ at }) => at.getTime()), pagination };
};

it('pages by cursor have each row once, whatever is added and removed between them', async () => {
  const change = fc.record({ added: entry, removed: fc.nat(11) });
  await fc.assert(
    fc.asyncProperty(
      entries,
      fc.array(change, { maxLength: 6 }),
      fc.integer({ min: 1, max: 4 }),
      fc.constantFrom('newest', 'oldest'),
      async (rows, changes, limit, order) => {
        await em.execute('truncate entries');
        for (const row of rows) await add('us', row);
        await add('them', [9, 'a', 2]);
        const kept = new Set(rows.map(keyOf));
        const known = new Set(kept);
        const walked: string[] = [];
        const times: number[] = [];
        let cursor: Page['cursor'];
        const queue = [...changes];
        for (;;) {
          const { keys, at, pagination } = await list({ limit, offset: 0, cursor, order });
          walked.push(...keys);
          times.push(...at);
          if (pagination.nextCursor === null) break;
          cursor = z.decode(cursorText, pagination.nextCursor);
          const next = queue.shift();
          if (!next) continue;
          const removed = rows[next.removed];
          if (removed) {
            kept.delete(keyOf(removed));
            await em.execute('delete from entries where id = ? and side = ?', [String(removed[0]), removed[1]]);
          }
          if (!known.has(keyOf(next.added))) await add('us', next.added);
          known.add(keyOf(next.added));
        }
        expect(new Set(walked).size).toBe(walked.length);
        expect([...kept].filter(key => !walked.includes(key))).toEqual([]);
        expect(walked).not.toContain('9a');
        expect(times).toEqual(times.toSorted((a, b) => (order === 'newest' ? b - a : a - b)));
      },
    ),
    { numRuns: runs(200) },
  );
});

it('counts 10,000 rows and no further, and says so', async () => {
  const addMany = (from: number, to: number) =>
    em.execute(`insert into entries select 'us', i, 'a', now() from generate_series(?::int, ?::int) i`, [from, to]);
  await addMany(1, 10_000);
  const exact = { limit: 2, offset: 3, total: 10_000, totalIsExact: true, hasMore: true };
  expect((await list({ limit: 2, offset: 3 })).pagination).toMatchObject(exact);
  await addMany(10_001, 10_001);
  expect((await list({ limit: 2, offset: 3 })).pagination).toMatchObject({ ...exact, totalIsExact: false });
});

it('refuses the cursor of another list or order, or of another tenant’s', async () => {
  const page = { limit: 2, offset: 0 };
  const place = { at: new Date(0).toISOString(), ids: ['1', 'a'], offset: 0 };
  const from = (name: string, scope: object) =>
    list({ ...page, cursor: { ...place, list: markList(page, name, scope) } });
  const turned = { ...page, order: 'oldest' } as const;
  expect((await from('entries', {})).keys).toEqual([]);
  const newest = { ...place, list: markList(page, 'entries', {}) };
  await expect(list({ ...turned, cursor: newest })).rejects.toThrow('not valid');
  await expect(from('others', {})).rejects.toThrow('not valid');
  await expect(from('entries', { teamId: 'team_1' })).rejects.toThrow('not valid');
  await expect(from('entries', { projectId: 'proj_1' })).rejects.toThrow('not valid');
});

it('goes on after a cursor that someone has made up, whatever number of items it says to be before', async () => {
  for (let id = 0; id < 3; id += 1) await add('us', [id, 'a', id]);
  const mark = markList({ limit: 2, offset: 0 }, 'entries', {});
  const cursor = { list: mark, at: '9999-12-31T23:59:59Z', ids: ['0', 'a'], offset: Number.MAX_SAFE_INTEGER };
  const { keys, pagination } = await list({ limit: 2, offset: 0, cursor });
  expect(keys).toEqual(['2a', '1a']);
  expect(z.decode(cursorText, String(pagination.nextCursor)).ids).toEqual(['1', 'a']);
});

it('tells a total that fits the shown items, though rows came or went before it was counted', () => {
  const counts = fc.record({
    limit: fc.integer({ min: 1, max: 4 }),
    offset: fc.nat(6),
    left: fc.nat(6),
    total: fc.nat(9),
  });
  fc.assert(
    fc.property(counts, ({ limit, offset, left, total }) => {
      const found = Array.from({ length: Math.min(left, limit + 1) }, (_, index) => index);
      const [items, pagination] = toPage({ limit, offset }, found, total, () => ({
        list: 'entries',
        at: null,
        ids: ['a'],
      }));
      const seen = offset + items.length;
      const isWhole = left <= limit && (items.length > 0 || offset === 0);
      expect(pagination.total).toBe(isWhole ? seen : Math.max(total, left > limit ? seen + 1 : 0));
    }),
  );
});
