import type { EntityManager, EntityName } from '@mikro-orm/postgresql';
import type { ProjectScope } from '@billing/contracts/ids';

interface Part {
  /** The id of the last row of the part before; null for the first part. */
  readonly after: string | null;
  readonly limit: number;
}

/**
 * A part of a project's rows in the order of `created_at`, then `id` (or another column that is unique in a project):
 * all parts together have each row once that was there at the first, whatever is added or changed meanwhile. Rows must
 * not be deleted, nor their `created_at` changed.
 */
export async function findPart<Row extends { createdAt: Date }>(
  em: EntityManager,
  entity: EntityName<Row>,
  { teamId, projectId }: ProjectScope,
  { after, limit }: Part,
  id = 'id',
): Promise<Row[]> {
  const { tableName } = em.getMetadata().get(entity);
  const scope = 'team_id = ? and project_id = ?';
  const rows = em.createQueryBuilder(entity).where(scope, [teamId, projectId]);
  if (after !== null)
    // The time is looked up, for the database knows it more exactly than a Date does.
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
