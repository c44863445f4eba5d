import type { Id } from '@billing/contracts/ids';
import { isUniqueViolation } from '@billing/database/database';

/** Returns the id of what a request creates, the same each time it is repeated; `operationKey` is a random UUID. */
export const idFromOperationKey = <const Prefix extends string>(prefix: Prefix, operationKey: string): Id<Prefix> =>
  `${prefix}_${operationKey.replaceAll('-', '')}`;

/**
 * Returns what `find` finds, otherwise what `create` creates. Concurrent calls return the same object when a unique
 * constraint prevents a second one.
 */
export async function createOnce<Created>(
  find: () => Promise<Created | null>,
  create: () => Promise<Created>,
): Promise<Created> {
  const existing = await find();
  if (existing) return existing;
  try {
    return await create();
  } catch (err) {
    const concurrent = isUniqueViolation(err) ? await find() : null;
    if (concurrent) return concurrent;
    throw err;
  }
}
