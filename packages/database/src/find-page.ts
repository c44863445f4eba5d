import type { EntityManager, EntityName } from '@mikro-orm/postgresql';
import type { ProjectScope } from '@billing/contracts/ids';

interface Page {
  /** The id of the last row of the previous page; null for the first page. */
  readonly after: string | null;
  readonly limit: number;
}

/**
 * Returns a page of a project's rows, ordered by `created_at`, then `id` (or another column that is unique in a project).
 * All pages together contain each row that existed at the first page exactly once, whatever is inserted or updated
 * meanwhile. Rows must not be deleted, and their `created_at` must not change.
 */
export async function findPage<Row extends { createdAt: Date }>(
  em: EntityManager,
  entity: EntityName<Row>,
  { teamId, projectId }: ProjectScope,
  { after, limit }: Page,
  id = 'id',
): Promise<Row[]> {
  const { tableName } = em.getMetadata().get(entity);
  const scope = 'team_id = ? and project_id = ?';
  const rows = em.createQueryBuilder(entity).where(scope, [teamId, projectId]);
  if (after !== null)
    // The time is read in SQL: PostgreSQL stores microseconds, which a Date would cut off.
    rows.andWhere(`(created_at, ${id}) > ((select created_at from ${tableName} where ${scope} and ${id} = ?), ?)`, [
      teamId,
      projectId,
      after,
      after,
    ]);
  return rows
    .orderBy({ createdAt: 'asc', [id]: 'asc' })
    .limit(limit)
    .getResultList();
}

/**
 * Returns a page of what a project's rows record, in the order of `findPage`, and the id after which the next page begins; null
 * at the end. `toRecord` returns null for a row that is left out.
 */
export async function listPage<Row extends { createdAt: Date }, Listed>(
  em: EntityManager,
  entity: EntityName<Row>,
  { teamId, projectId, ...page }: ProjectScope & Page,
  toRecord: (row: Row) => Listed | null,
  id = 'id',
): Promise<{ records: Listed[]; next: string | null }> {
  const rows = await findPage(em, entity, { teamId, projectId }, page, id);
  const last = rows.length < page.limit ? undefined : rows.at(-1);
  return { records: rows.flatMap(row => toRecord(row) ?? []), next: last ? String(Reflect.get(last, id)) : null };
}
