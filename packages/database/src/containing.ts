import { raw } from '@mikro-orm/postgresql';

/** PostgreSQL's index of searched texts is by three characters: `gin_trgm_ops`. */
const SHORTEST_PART = 3;

/**
 * SQL of a text without the case of its letters: by PostgreSQL's own rules for all of Unicode, so that databases of every locale
 * find the same.
 */
const folded = (text: string): string => `casefold(${text} collate pg_unicode_fast)`;

/** Returns the condition that a column contains a text, in any case; one of fewer than 3 characters begins it. */
export function containing(column: string, text: string): object {
  const escaped = text.replaceAll(/[\\%_]/g, String.raw`\$&`);
  const pattern = `${text.length < SHORTEST_PART ? '' : '%'}${escaped}%`;
  return { [raw(folded(column))]: { $like: raw(folded('?::text'), [pattern]) } };
}

/** Declares the index that finds what columns contain, among the rows of a project. */
export const searchIndex = (name: string, table: string, columns: readonly string[]) => ({
  name,
  expression: `create index ${name} on ${table} using gin (project_id, ${columns.map(column => `(${folded(column)}) gin_trgm_ops`).join(', ')}) with (fastupdate = off)`,
});
