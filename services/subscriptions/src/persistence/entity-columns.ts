import type { EntityClass, EntityManager } from '@mikro-orm/postgresql';

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
