import { isUniqueViolation } from '@billing/service/database';

/**
 * Makes what `find` does not find. Two that run at once end with one thing, if a unique constraint stands in the way
 * of a second.
 */
export async function makeOnce<Made>(find: () => Promise<Made | null>, make: () => Promise<Made>): Promise<Made> {
  const made = await find();
  if (made) return made;
  try {
    return await make();
  } catch (err) {
    const others = isUniqueViolation(err) ? await find() : null;
    if (others) return others;
    throw err;
  }
}
