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
  const columns = columnsOf(em, entity).map(column => ({ ...column, isTime: isTime(column) }));
  return rows.map(row => {
    const entries = columns.map(({ property, name, isTime: isDate }) => {
      const value = row[name];
      return [property, isDate && typeof value === 'string' ? new Date(value) : value];
    });
    return Object.fromEntries(entries) as Row; // each property of the entity, from its column
  });
}

/** A column of an entity's table. */
export interface Column {
  readonly property: string;
  readonly name: string;
  readonly type: string;
}

export const columnsOf = <Row extends object>(em: EntityManager, entity: EntityClass<Row>): Column[] =>
  em.getMetadata(entity).props.map(({ name, fieldNames: [column = name], columnTypes: [type = 'text'] }) => {
    return { property: name, name: column, type };
  });

export const isTime = ({ type }: Column): boolean => type.startsWith('timestamptz');
