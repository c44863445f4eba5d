import type { EntityClass, EntityManager } from '@mikro-orm/postgresql';

/** A row as PostgreSQL renders it as JSON, by column. */
export type JsonRow = Readonly<Record<string, unknown>>;

/**
 * Returns rows of an entity that a statement read as JSON (`json_agg(table)`), as plain objects that the unit of work does
 * not track.
 */
export function fromJson<Row extends object>(
  em: EntityManager,
  entity: EntityClass<Row>,
  rows: readonly JsonRow[] | null,
): Row[] {
  if (!rows) return [];
  const properties = em.getMetadata(entity).props.map(({ name, fieldNames: [column = name], columnTypes: [type] }) => {
    return { name, column, isTime: type?.startsWith('timestamptz') };
  });
  return rows.map(row => {
    const entries = properties.map(({ name, column, isTime }) => {
      const value = row[column];
      return [name, isTime && typeof value === 'string' ? new Date(value) : value];
    });
    return Object.fromEntries(entries) as Row; // each property of the entity, from its column
  });
}
