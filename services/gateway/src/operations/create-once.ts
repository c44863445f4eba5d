import { isUniqueViolation } from '@billing/database/database';

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
