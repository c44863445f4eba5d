import { createTestDatabase } from '@billing/testing/database';
import { runs } from '@billing/testing/runs';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { executeBound, textArray } from '../src/bound-statement.ts';
import { openDatabase, type Database } from '../src/database.ts';
import { Note } from './note.entity.ts';

let database: Database;
const resources = new AsyncDisposableStack();

beforeAll(async () => {
  const { url } = resources.use(await createTestDatabase('portal'));
  database = resources.adopt(openDatabase({ service: 'portal', url, entities: [Note], migrations: [] }), opened =>
    opened.close(),
  );
});
afterAll(() => resources.disposeAsync());

it('binds any texts as an array', async () => {
  const storable = fc.string({ unit: 'grapheme' }).filter(text => text.isWellFormed() && !text.includes('\u0000'));
  await fc.assert(
    fc.asyncProperty(fc.array(storable, { minLength: 1, maxLength: 50 }), async texts => {
      const rows = await executeBound<{ text: string }>(
        database.em.fork(),
        'select text from unnest($1::text[]) with ordinality as it(text, place) order by place',
        [textArray(texts)],
      );
      expect(rows.map(({ text }) => text)).toEqual(texts);
    }),
    { numRuns: runs(60) },
  );
});

it('sends the values of em.execute beside the SQL, whatever they contain', async () => {
  const em = database.em.fork();
  for (const text of [`'; drop table notes; --`, '?', '$1', `\\'`, '$$']) {
    const [row] = await em.execute<{ text: string; query: string }[]>(
      'select ? as text, query from pg_stat_activity where pid = pg_backend_pid()',
      [text],
    );
    expect(row).toEqual({ text, query: 'select $1 as text, query from pg_stat_activity where pid = pg_backend_pid()' });
  }
});
