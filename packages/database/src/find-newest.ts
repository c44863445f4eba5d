import { raw, type EntityManager, type EntityName, type FilterQuery, type QBFilterQuery } from '@mikro-orm/postgresql';
import {
  MAX_COUNTED,
  skipped,
  toPage,
  totalShown,
  type CreatedRange,
  type Page,
  type Pagination,
} from '@billing/contracts/pagination';
import { markList, otherList } from './cursors.ts';

interface Order {
  /** The property with the time. */
  readonly time?: string;
  /** The properties that tell rows of one time apart: a key of a row among those that meet the conditions. */
  readonly ids?: readonly string[];
}

/**
 * Returns a page of the rows that meet all conditions on columns, newest first unless the page says otherwise; an undefined
 * condition is none. Counts 10,000 rows at most.
 * @throws Problem 400 for the cursor of another list
 */
export async function findNewest<Row extends object>(
  em: EntityManager,
  entity: EntityName<Row>,
  conditions: Readonly<Record<string, unknown>>,
  page: Page,
  { time = 'createdAt', ids = ['id'] }: Order = {},
): Promise<[rows: Row[], pagination: Pagination]> {
  const list = markList(page, em.getMetadata().get(entity).tableName, conditions);
  const given = Object.entries(conditions).filter(([, value]) => value !== undefined);
  const where = Object.fromEntries(given);
  const orderBy = Object.fromEntries([[time, page.order === 'oldest' ? 'asc' : 'desc'], ...ids.map(id => [id, 'asc'])]);
  const options = { orderBy, limit: page.limit + 1, offset: skipped(page) } as object; // the columns are the caller's
  const after = page.cursor ? { $and: [where, rowsAfter(page, time, ids)] } : where;
  const typed = (filter: object) => filter as FilterQuery<NoInfer<Row>>; // so are these
  const found = (await em.find(entity, typed(after), options)) as Row[]; // the options select all properties
  const total = totalShown(page, found) ?? (await countRows(em, entity, typed(where)));
  const placeOf = (row: Row) => {
    const values = row as Readonly<Record<string, unknown>>; // by the names of columns
    const at = values[time];
    return { list, at: at instanceof Date ? at.toISOString() : null, ids: ids.map(id => String(values[id])) };
  };
  return toPage(page, found, total, placeOf, MAX_COUNTED);
}

/** Counts rows; more than `MAX_COUNTED` count as one more. */
async function countRows<Row extends object>(
  em: EntityManager,
  entity: EntityName<Row>,
  where: FilterQuery<NoInfer<Row>>,
): Promise<number> {
  const { sql, params } = em
    .createQueryBuilder(entity)
    .select(raw('1'))
    .where(where as QBFilterQuery<Row>) // the same conditions, by another name
    .limit(MAX_COUNTED + 1)
    .toQuery();
  const [counted] = await em.execute<{ total: number }[]>(`select count(*)::int as total from (${sql}) counted`, [
    ...params,
  ]);
  return counted?.total ?? 0;
}

/** Returns the condition on `createdAt` for a range; undefined for none. */
export function createdWithin({ createdAfter, createdBefore }: CreatedRange): object | undefined {
  if (!createdAfter && !createdBefore) return undefined;
  return { ...(createdAfter && { $gte: createdAfter }), ...(createdBefore && { $lt: createdBefore }) };
}

/** Selects the rows that follow a page's cursor. An index by time finds the first one. */
function rowsAfter({ cursor, order }: Page, time: string, ids: readonly string[]): object {
  const { at = null, ids: values = [] } = cursor ?? {};
  if (at === null || values.length !== ids.length) throw otherList();
  const sameTime = ids.map((id, index) => ({
    ...Object.fromEntries(ids.slice(0, index).map((before, place) => [before, values[place]])),
    [id]: { $gt: values[index] },
  }));
  const [from, after] = order === 'oldest' ? ['$gte', '$gt'] : ['$lte', '$lt'];
  return { [time]: { [from]: new Date(at) }, $or: [{ [time]: { [after]: new Date(at) } }, ...sameTime] };
}
