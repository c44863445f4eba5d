import type { EntityClass, EntityManager } from '@mikro-orm/postgresql';
import type { ProjectScope } from '@billing/contracts/ids';
import { executeBound } from '@billing/database/bound-statement';
import {
  skipped,
  MAX_COUNTED,
  toPage,
  totalShown,
  type CreatedRange,
  type Page,
  type Pagination,
} from '@billing/contracts/pagination';
import { follows, markList, placeBefore } from '@billing/database/cursors';
import { keyColumns, scopedKey, type ProjectObject } from '@billing/database/project-objects';
import { columnsOf, isTime, type Column } from './json-rows.ts';
import { lockAll, type LockedKind } from './locks.ts';
import type { SearchedValues } from './search-records.ts';

/** Reads and writes a table that has one row for each of the processor's objects, in each project. */
export interface ObjectRows<Row extends ListedRow> {
  /** Locks objects, recorded here or not, until the transaction ends. */
  lock(tx: EntityManager, objects: readonly ProjectObject[]): Promise<void>;
  /** Finds the rows of objects, by `scopedKey`. */
  find(em: EntityManager, objects: readonly ProjectObject[]): Promise<Map<string, Row>>;
  /** Finds our ids of the objects that have a row, by `scopedKey`. */
  findIds(em: EntityManager, objects: readonly ProjectObject[]): Promise<ReadonlyMap<string, Row['id']>>;
  /**
   * Does the same, and locks the objects that have no row until the transaction ends. Otherwise, if one is recorded at the
   * same time, neither transaction sees what the other one writes about it.
   */
  findIdsOrLock(tx: EntityManager, objects: readonly ProjectObject[]): Promise<ReadonlyMap<string, Row['id']>>;
  /** Finds the rows that have the id of one of the objects in `property`, each as the object that it records. */
  findNaming<Named extends ProjectObject>(
    em: EntityManager,
    property: keyof Row & string,
    named: readonly Named[],
  ): Promise<Naming<Row, Named>[]>;
  /** Lists the properties `only` of a page of a project's rows, in the page's order. A filter takes any of its values. */
  list<Property extends keyof Row & string>(
    em: EntityManager,
    scope: ProjectScope,
    wanted: ListedRows<Row, Property>,
  ): Promise<{ rows: Pick<Row, Property>[]; pagination: Pagination }>;
  /** Inserts new rows and updates others, each row once. The caller's transaction holds the locks of the objects. */
  save(tx: EntityManager, rows: readonly Row[]): Promise<void>;
}

export interface ListedRow extends ProjectScope {
  readonly id: string;
  readonly createdAt: Date;
}

/** A row that names an object. */
interface Naming<Row extends ListedRow, Named> {
  readonly named: Named;
  readonly id: Row['id'];
  readonly recorded: ProjectObject;
}

interface ListedRows<Row, Property> {
  readonly filter: RowFilter<Row>;
  /** One of which a row must have, also of what is computed. */
  readonly anyOf?: readonly SearchedValues[] | undefined;
  /** The processor's id of the object, or another one of it. */
  readonly idAtProcessor?: string | undefined;
  readonly created: CreatedRange;
  readonly only: readonly Property[];
  readonly page: Page;
}

/** The values that a property may have; a property without values is not looked at. */
type RowFilter<Row> = Readonly<Partial<Record<keyof Row & string, readonly string[] | undefined>>>;

interface RowOptions<Row> {
  readonly kind: LockedKind;
  /** The property with the processor's id of the object. */
  readonly processorId: keyof Row & string;
  /** Properties with other ids of the object at the processor. */
  readonly otherIds?: readonly (keyof Row & string)[];
  /** SQL of what a search finds rows by beside their properties. */
  readonly computed?: Readonly<Record<string, string>>;
  /** Properties that no update changes, beside the primary key, the project and the processor's id. */
  readonly fixed: readonly (keyof Row & string)[];
  /** Runs in the transaction that saves rows. */
  readonly onSave?: (tx: EntityManager, rows: readonly Row[]) => Promise<void>;
}

/**
 * Handles many rows of an entity in one statement. The rows are plain objects, which the unit of work does not track:
 * entities would cost several times as much as the statements.
 */
export function objectRows<Row extends ListedRow>(
  entity: EntityClass<Row>,
  { kind, processorId, otherIds = [], computed = {}, fixed, onSave }: RowOptions<Row>,
): ObjectRows<Row> {
  const statementsFor = (em: EntityManager) => {
    const { tableName, primaryKeys } = em.getMetadata(entity);
    const columns = columnsOf(em, entity);
    const isChanged = ({ property }: Column) =>
      ![...primaryKeys, ...fixed, 'teamId', 'projectId', processorId].includes(property);
    const nameOf = (wanted: string) => columns.find(({ property }) => property === wanted)?.name ?? computed[wanted];
    return {
      tableName,
      columns,
      nameOf,
      times: columns.filter(isTime).map(({ property }) => property),
      // With `=` for the project, or without the limit, the planner may read all rows of the project to find each one.
      find: `
        select ${columns.map(read).join(', ')}
          from unnest($1::text[], $2::text[], $3::text[]) as wanted (team_id, project_id, id)
         cross join lateral (
           select * from ${tableName} candidate
            where candidate.${nameOf(processorId)} = wanted.id
              and (candidate.team_id, candidate.project_id) is not distinct from (wanted.team_id, wanted.project_id)
            limit 1) existing`,
      save: `
        insert into ${tableName} as existing (${columns.map(({ name }) => name).join(', ')})
        select ${columns.map(written).join(', ')}
          from json_to_recordset($1::json) as next (${columns.map(declared).join(', ')})
            on conflict (${primaryKeys.map(nameOf).join(', ')}) do update
           set ${columns
             .filter(isChanged)
             .map(({ name }) => `${name} = excluded.${name}`)
             .join(', ')}
         where existing.team_id = excluded.team_id and existing.project_id = excluded.project_id`,
    };
  };
  let statements: ReturnType<typeof statementsFor> | undefined;

  const ofEntity: ObjectRows<Row> = {
    lock: (tx, objects) => lockAll(tx, kind, objects),
    async find(em, objects) {
      if (objects.length === 0) return new Map();
      const wanted = [...new Map(objects.map(object => [scopedKey(object), object])).values()];
      const { find, times } = (statements ??= statementsFor(em));
      const found = await executeBound<Record<string, unknown>>(em, find, keyColumns(wanted));
      return new Map(
        found.map(row => {
          toDates(row, times);
          const it = row as unknown as Row; // the statement selects each property of the entity
          return [scopedKey({ scope: it, id: String(it[processorId]) }), it];
        }),
      );
    },
    async findIds(em, objects) {
      const found = await ofEntity.findNaming(em, processorId, objects);
      return new Map(found.map(({ named, id }) => [scopedKey(named), id]));
    },
    async findIdsOrLock(tx, objects) {
      const found = await ofEntity.findIds(tx, objects);
      const missing = objects.filter(object => !found.has(scopedKey(object)));
      if (missing.length === 0) return found;
      await ofEntity.lock(tx, missing);
      return new Map([...found, ...(await ofEntity.findIds(tx, missing))]);
    },
    async findNaming(em, property, named) {
      if (named.length === 0) return [];
      const { tableName, nameOf } = (statements ??= statementsFor(em));
      const found = await executeBound<{ place: number; id: Row['id']; recordedId: string }>(
        em,
        `select named.place::int, recorded.id, recorded.${nameOf(processorId)} as "recordedId"
           from unnest($1::text[], $2::text[], $3::text[]) with ordinality as named (team_id, project_id, id, place)
           join ${tableName} recorded
             on recorded.${nameOf(property)} = named.id
            and (recorded.team_id, recorded.project_id) is not distinct from (named.team_id, named.project_id)`,
        keyColumns(named),
      );
      return found.flatMap(({ place, id, recordedId }) => {
        const object = named[place - 1];
        return object ? [{ named: object, id, recorded: { scope: object.scope, id: recordedId } }] : [];
      });
    },
    async list(em, { teamId, projectId }, { filter, anyOf, idAtProcessor, created, only, page }) {
      const { tableName, columns, nameOf, times } = (statements ??= statementsFor(em));
      const values: unknown[] = [];
      const bound = (value: unknown) => `$${values.push(value)}`;
      const valued = (wanted: Readonly<Record<string, readonly string[] | undefined>>) =>
        Object.entries(wanted).flatMap(([property, any]) =>
          any ? [`${nameOf(property)} = any(${bound([...any])})`] : [],
        );
      const conditions = [`team_id = ${bound(teamId)}`, `project_id = ${bound(projectId)}`, ...valued(filter)];
      if (anyOf) conditions.push(`(${anyOf.map(one => `(${valued(one).join(' and ')})`).join(' or ')})`);
      if (idAtProcessor !== undefined) {
        const id = bound(idAtProcessor);
        conditions.push(`(${[processorId, ...otherIds].map(property => `${nameOf(property)} = ${id}`).join(' or ')})`);
      }
      if (created.createdAfter) conditions.push(`created_at >= ${bound(created.createdAfter)}`);
      if (created.createdBefore) conditions.push(`created_at < ${bound(created.createdBefore)}`);
      const matching = `from ${tableName} existing where ${conditions.join(' and ')}`;
      const matched = [...values];
      // What is searched for decides by which index it is found.
      const options = { isDynamic: anyOf !== undefined };

      const list = markList(page, tableName, { teamId, projectId });
      const place = placeBefore(page);
      const following = place
        ? ` and ${follows('created_at', 'id', bound(place.at), bound(place.id), page.order)}`
        : '';
      const shown = new Set<string>(['id', 'createdAt', ...only]);
      const selected = columns.filter(({ property }) => shown.has(property)).map(read);
      const order = `created_at ${page.order === 'oldest' ? 'asc' : 'desc'}, id`;
      const found = await executeBound<Record<string, unknown>>(
        em,
        `select ${selected.join(', ')} ${matching}${following}
          order by ${order} limit ${bound(page.limit + 1)} offset ${bound(skipped(page))}`,
        values,
        options,
      );
      const total = totalShown(page, found) ?? (await countRows(em, matching, matched, options));
      for (const row of found) toDates(row, times);
      const typed = found as unknown as Pick<Row, (typeof only)[number] | 'id' | 'createdAt'>[]; // what the statement selects
      const placeOf = ({ id, createdAt }: Pick<Row, 'id' | 'createdAt'>) => ({
        list,
        at: createdAt.toISOString(),
        ids: [id],
      });
      const [ofPage, pagination] = toPage(page, typed, total, placeOf, MAX_COUNTED);
      return { rows: ofPage, pagination };
    },
    async save(tx, rows) {
      if (rows.length === 0) return;
      const { save, times } = (statements ??= statementsFor(tx));
      const next = rows.map(row => {
        const values: Record<string, unknown> = { ...(row as object) };
        for (const time of times) {
          const value = values[time];
          if (value instanceof Date) values[time] = value.getTime();
        }
        return values;
      });
      await executeBound(tx, save, [JSON.stringify(next)]);
      await onSave?.(tx, rows);
    },
  };
  return ofEntity;
}

// Times are sent as milliseconds since 1970: both sides would take longer to write and parse texts.

/** Converts the milliseconds of a row to dates, in place. */
function toDates(row: Record<string, unknown>, times: readonly string[]): void {
  for (const time of times) if (typeof row[time] === 'number') row[time] = new Date(row[time]);
}

async function countRows(
  em: EntityManager,
  matching: string,
  values: readonly unknown[],
  options: { readonly isDynamic: boolean },
): Promise<number> {
  const [counted] = await executeBound<{ total: number }>(
    em,
    `select count(*)::int as total from (select ${matching} limit ${MAX_COUNTED + 1}) counted`,
    values,
    options,
  );
  return counted?.total ?? 0;
}

function read(of: Column): string {
  const { property, name, type } = of;
  const column = `existing.${name}`;
  if (isTime(of)) return `round(date_part('epoch', ${column}) * 1000) as "${property}"`;
  // The driver returns a `bigint` as text; none is larger than JavaScript's numbers.
  return `${type === 'bigint' ? `${column}::float8` : column} as "${property}"`;
}

const declared = (column: Column): string => `"${column.property}" ${isTime(column) ? 'float8' : column.type}`;

const written = (column: Column): string =>
  isTime(column) ? `to_timestamp(next."${column.property}" / 1000)` : `next."${column.property}"`;
