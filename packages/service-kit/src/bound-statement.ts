import { randomUUID } from 'node:crypto';
import type { EntityManager, Kysely } from '@mikro-orm/postgresql';

type Compiled = Parameters<Kysely<unknown>['executeQuery']>[0];

/**
 * Runs a statement whose values `$1`, `$2`, … are bound, in `em`'s transaction if it has one, and answers its rows. For
 * statements that carry many rows: `em.execute` writes every value into the text, character by character.
 */
export async function executeBound<Row>(
  em: EntityManager,
  sql: string,
  values: readonly unknown[],
): Promise<readonly Row[]> {
  const query = { kind: 'RawNode', sqlFragments: [sql], parameters: [] };
  const compiled = { query, queryId: { queryId: randomUUID() }, sql, parameters: values } as unknown as Compiled; // what kysely, which is not ours to import, makes of raw text
  const { rows } = await em.getKysely<unknown>().executeQuery(compiled);
  return rows as Row[]; // the caller wrote the statement
}
