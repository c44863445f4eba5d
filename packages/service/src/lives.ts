/*
 * An id of the processor may live twice: who chose it, as for coupons, products and plans, can delete the object and make
 * another one under it. Each life is a record of its own, told by when the object was created.
 */

/** A record, as far as it tells of which life it is. */
export interface Life {
  /** When the object was created, by the processor's clock in whole seconds; null for a record from before that was stored. */
  readonly processorCreatedAt: Date | null;
  readonly deletedAt: Date | null;
}

/** Returns whether a record is of the object that was created at a time. */
export const isOfLife = ({ processorCreatedAt, deletedAt }: Life, createdAt: Date): boolean =>
  processorCreatedAt ? processorCreatedAt.getTime() === createdAt.getTime() : !deletedAt || createdAt < deletedAt;

/** The record of an object among those of its id; `past` when a later object has the id, and `new` when none has a record. */
export function findLife<Row extends Life>(rows: readonly Row[], createdAt: Date): Row | 'past' | 'new' {
  const own = rows.findLast(row => isOfLife(row, createdAt));
  if (own) return own;
  return rows.some(row => beginOf(row) > createdAt.getTime()) ? 'past' : 'new';
}

/** The record that has begun last of those that had begun at a time, else the first one: what else names the id then means it. */
export const lifeAt = <Row extends Life>(rows: readonly Row[], at: Date): Row | undefined => {
  const inOrder = rows.toSorted((a, b) => beginOf(a) - beginOf(b));
  return inOrder.findLast(row => beginOf(row) <= at.getTime()) ?? inOrder[0];
};

/** When the next object was made under the id of the one that was created at a time; null where none is recorded. */
export function nextBegin(rows: readonly Life[], createdAt: Date): Date | null {
  const later = rows.map(beginOf).filter(begin => begin > createdAt.getTime());
  return later.length === 0 ? null : new Date(Math.min(...later));
}

/** The live record of an object of which is only known that it was gone at a time. */
export const goneAt = <Row extends Life>(rows: readonly Row[], at: Date): Row | undefined =>
  rows.find(row => !row.deletedAt && beginOf(row) <= at.getTime());

const beginOf = ({ processorCreatedAt }: Life): number => processorCreatedAt?.getTime() ?? 0;
