import { randomBytes } from 'node:crypto';
import { createTestDatabase } from '@billing/testing/database';
import { runs } from '@billing/testing/runs';
import type { EntityManager } from '@mikro-orm/postgresql';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { containing, searchIndex } from '../src/containing.ts';
import { openDatabase } from '../src/database.ts';
import { Thing } from './thing.entity.ts';

/** One of the operating system in which letters are those of Unicode. */
const SYSTEM = process.platform === 'darwin' ? 'en_US.UTF-8' : 'C.UTF-8';
const LOCALES = [
  ['C', `locale_provider libc locale 'C'`],
  [SYSTEM, `locale_provider libc locale '${SYSTEM}'`],
  ['PostgreSQL’s own', `locale_provider builtin builtin_locale 'C.UTF-8' locale 'C'`],
] as const;
const PROJECT = 'proj_7';

describe.each(LOCALES)('a search in a database of the locale %s', (_name, locale) => {
  const resources = new AsyncDisposableStack();
  const open = (url: string) =>
    resources.adopt(openDatabase({ service: 'portal', url, entities: [Thing], migrations: [] }), opened =>
      opened.close(),
    ).em;
  let em: EntityManager;

  beforeAll(async () => {
    const { adminUrl } = resources.use(await createTestDatabase('portal'));
    const url = new URL(adminUrl);
    url.pathname = `/test_locale_${randomBytes(5).toString('hex')}`;
    const name = url.pathname.slice(1);
    const cluster = open(adminUrl);
    await cluster.execute(`create database ${name} template template0 encoding 'UTF8' ${locale}`);
    resources.defer(async () => void (await cluster.execute(`drop database ${name} with (force)`)));
    em = open(url.href);
    await em.execute('create schema portal; create extension pg_trgm; create extension btree_gin');
    await em.execute('create table things (id int primary key, team_id text, project_id text, name text)');
    await em.execute(searchIndex('things_search', 'things', ['name']).expression);
    await em.execute(
      `insert into things select i, 'team_1', 'proj_' || i % 40, 'Иван Лавлейс ' || i || ' Lovelace' from generate_series(1, 4000) i`,
    );
    await em.execute('analyze things');
  });
  afterAll(() => resources.disposeAsync());

  const query = (text: string, on = em.fork()) =>
    on
      .createQueryBuilder(Thing)
      .where({ projectId: PROJECT, ...containing('name', text) })
      .orderBy({ id: 'asc' });
  const find = async (text: string, on = em.fork()) => (await query(text, on).getResultList()).map(({ name }) => name);
  const add = (name: string) =>
    em.execute(`insert into things select max(id) + 1, 'team_1', ?, ? from things`, [PROJECT, name]);

  it.each([
    ['Москва', 'МОСКВА'],
    ['МОСКВА', 'осква'],
    ['École', 'éCOLE'],
    ['Παπαδόπουλος', 'ΠΑΠΑΔΌΠΟΥΛΟΣ'],
    ['Groß', 'GROSS'],
    ['Ёж', 'ёЖ'],
    [String.raw`100%_\ Ж`, String.raw`%_\ ж`],
  ])('finds %s by %s', async (name, text) => {
    await add(name);
    expect(await find(text)).toContain(name);
  });

  it('finds the same by the index as without it', async () => {
    const word = fc.string({
      unit: fc.constantFrom(...'a A é É ж Ж σ Σ ς ß ſ K k İ i ı 日 % _ \\ -'.split(' '), ' '),
      minLength: 1,
      maxLength: 6,
    });
    await fc.assert(
      fc.asyncProperty(fc.option(word, { nil: '' }), word, word, async (before, text, after) => {
        await add(before + text + after);
        const foundWithout = (way: 'seqscan' | 'bitmapscan') =>
          em.transactional(async tx => {
            await tx.execute(`set local enable_${way} = off`);
            return find(text, tx);
          });
        const found = await foundWithout('seqscan');
        expect(found).toEqual(await foundWithout('bitmapscan'));
        const isFound = text.length > 2 || before === '';
        expect(found).toEqual(expect.arrayContaining(isFound ? [before + text + after] : []));
      }),
      { numRuns: runs(40) },
    );
  });

  it('goes by the index', async () => {
    for (const text of ['3999 LOVEL', 'lo', ...(locale.includes(SYSTEM) ? ['ЛАВЛЕЙС 3999'] : [])]) {
      const { sql, params } = query(text).toQuery();
      const plan = JSON.stringify(await em.execute<object[]>(`explain ${sql}`, [...params]));
      expect(plan, text).toMatch(/Index Cond: [^"]*casefold/);
    }
  });
});
