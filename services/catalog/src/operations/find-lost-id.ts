import type { EntityManager } from '@mikro-orm/postgresql';
import type { ProjectObject } from '@billing/database/project-objects';
import { isLostByRestore } from '@billing/service/restores';

interface NamedRecord<Id extends string> {
  readonly table: 'products' | 'prices';
  /** Our id, if the processor's object names one. */
  readonly named: readonly ProjectObject<Id>[];
  /** When the object's event happened at the processor. */
  readonly at: Date;
}

/** Returns the id that a record had before a restored backup lost it, for the record that is made of its event. */
export async function findLostId<Id extends string>(
  tx: EntityManager,
  { table, named: [first], at }: NamedRecord<Id>,
): Promise<Id | undefined> {
  if (!first || !(await isLostByRestore(tx, at))) return undefined;
  // Ids are unique beyond the project.
  const taken = await tx.execute<unknown[]>(`select 1 from ${table} where id = ?`, [first.id]);
  return taken.length === 0 ? first.id : undefined;
}
