import type { EntityManager } from '@mikro-orm/postgresql';
import type { ProjectScope } from '@billing/contracts/ids';
import { notFound } from '@billing/contracts/problem';
import type { Mirrored, MirroredRow, MirroredRows } from '@billing/service/mirrored-rows';

const FIRST = { limit: 1, offset: 0 };

/**
 * Finds what a key means in a project: the newest active record that has it, else the newest.
 * @throws Problem 404
 */
export async function findByKey<Row extends MirroredRow>(
  em: EntityManager,
  { rows, isAlwaysActive }: { readonly rows: MirroredRows<Row>; readonly isAlwaysActive?: boolean },
  scope: ProjectScope,
  key: string,
): Promise<Mirrored<Row>> {
  const [[active]] = isAlwaysActive ? [[]] : await rows.list(em, scope, FIRST, { key, isActive: true });
  const [[newest]] = active ? [[active]] : await rows.list(em, scope, FIRST, { key });
  if (!newest) throw notFound(rows.resource);
  return newest;
}
