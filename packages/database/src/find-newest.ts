import type { EntityManager, EntityName, FilterQuery } from '@mikro-orm/postgresql';
import { paginate, type Page, type Pagination } from '@billing/contracts/pagination';

/**
 * Returns a page of the rows that meet all conditions on columns, newest first; an undefined one is none. Rows of one time are
 * in the order of `ids`, which name a row in its project.
 */
export async function findNewest<Row extends object>(
  em: EntityManager,
  entity: EntityName<Row>,
  conditions: Readonly<Record<string, unknown>>,
  { limit, offset }: Page,
  ids: readonly string[] = ['id'],
): Promise<[rows: Row[], pagination: Pagination]> {
  const given = Object.entries(conditions).filter(([, value]) => value !== undefined);
  const orderBy = Object.fromEntries([['createdAt', 'desc'], ...ids.map(id => [id, 'asc'])]);
  const options = { orderBy, limit, offset } as object; // the columns are the caller's
  const where = Object.fromEntries(given) as FilterQuery<NoInfer<Row>>; // so are these
  const [rows, total]: [Row[], number] = await em.findAndCount(entity, where, options);
  return [rows, paginate({ limit, offset }, rows.length, total)];
}
