import { isUsedOtherwise, ProcessorError } from './errors.ts';

/**
 * Writes our keys into the metadata of an object that was there before us, with `marked`. A mark only helps: it routes an object's
 * events, and finds its record after a backup is restored; our record of the object's id serves else. So where the processor
 * refuses it, because the object has 50 keys or the secret key may not write, `unmarked` writes what is left to write.
 */
export async function writeMarks<Written>(
  marked: () => Promise<Written>,
  unmarked: () => Promise<Written>,
): Promise<Written> {
  try {
    return await marked();
  } catch (err) {
    if (!isRefusedRequest(err)) throw err;
    return unmarked();
  }
}

/** What the processor returns for a request that it does not take, or that the secret key may not make. */
const REFUSED: ReadonlySet<number | undefined> = new Set([400, 403]);

/** Returns whether a call was refused for what it asks, so that one that asks for less may succeed. */
const isRefusedRequest = (error: unknown): boolean =>
  error instanceof ProcessorError && REFUSED.has(error.processorStatus) && !isUsedOtherwise(error);
