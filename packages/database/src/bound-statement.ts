import { randomUUID } from 'node:crypto';
import type { EntityManager, Kysely } from '@mikro-orm/postgresql';
import { prepareStatement } from './prepared-statements.ts';

type Compiled = Parameters<Kysely<unknown>['executeQuery']>[0];

/**
 * Runs a statement with bound values `$1`, `$2`, …, in `em`'s transaction if it has one, and returns its rows. Use it for
 * statements that carry many rows: `em.execute` writes every value into the SQL text, character by character. Each
 * connection prepares the statement once. With `isDynamic` it is planned at each call, because its text differs from call to
 * call, or because a plan from when a table was small would go through all of it later.
 */
export async function executeBound<Row>(
  em: EntityManager,
  sql: string,
  values: readonly unknown[],
  { isDynamic = false } = {},
): Promise<readonly Row[]> {
  if (!isDynamic) prepareStatement(sql);
  const query = { kind: 'RawNode', sqlFragments: [sql], parameters: [] };
  const compiled = { query, queryId: { queryId: randomUUID() }, sql, parameters: values } as unknown as Compiled; // the shape that kysely compiles raw SQL to; kysely is not a dependency of ours
  const { rows } = await em.getKysely<unknown>().executeQuery(compiled);
  return rows as Row[]; // the caller wrote the statement and knows its columns
}

/** PostgreSQL's OID of the type `text`. */
const TEXT_OID = 25;
const HEADER_BYTES = 20;
const LENGTH_BYTES = 4;

/**
 * Encodes texts as one value for `$1::text[]`, in PostgreSQL's binary format. PostgreSQL copies it as it is; large texts
 * inside JSON or an array literal are parsed character by character, more than once. Needs at least one text.
 * Format: `array_recv` in PostgreSQL's src/backend/utils/adt/arrayfuncs.c.
 */
export function textArray(texts: readonly string[]): Buffer {
  const lengths = texts.map(text => Buffer.byteLength(text));
  const size = lengths.reduce((sum, length) => sum + LENGTH_BYTES + length, HEADER_BYTES);
  const bytes = Buffer.allocUnsafe(size);
  let offset = 0;
  const dimensions = 1;
  const hasNull = 0;
  const firstIndex = 1;
  for (const number of [dimensions, hasNull, TEXT_OID, texts.length, firstIndex])
    offset = bytes.writeInt32BE(number, offset);
  for (const [index, text] of texts.entries()) {
    offset = bytes.writeInt32BE(lengths[index] ?? 0, offset);
    offset += bytes.write(text, offset);
  }
  return bytes;
}
