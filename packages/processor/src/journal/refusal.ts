import { isRefusedKey, ProcessorError } from '../errors.ts';

/**
 * Whether the processor's answer says that the write has not been done, and will not be if it is sent again.
 *
 * A failure on its side (5xx) counts: it is what every repeat under the same key would be answered, and should the
 * write have been done all the same, the processor's event tells of it. A key that is refused on a later attempt says
 * nothing about what the earlier one did.
 */
export function isRefusal(error: unknown, attempt: number): boolean {
  if (!(error instanceof ProcessorError)) return false;
  if (isRefusedKey(error)) return attempt === 1;
  return error.processorCode !== 'idempotency_key_in_use';
}
