import { Problem } from '@billing/contracts/problem';
import { isMissing, isRefusedKey, isUsedOtherwise, ProcessorError } from '../errors.ts';

/**
 * What to do after a failed attempt:
 * - `cancel`: the processor has not done the write, and no repeat would change that
 * - `close-key`: every repeat under this key gets the same failure, which leaves open whether the write was done
 * - `retry`: the same request under the same key, later
 */
export type AfterFailure = 'cancel' | 'close-key' | 'retry';

interface Attempt {
  /** What failed: a call to the processor, the search for what an earlier call made, or the commit of a response. */
  readonly step: 'send' | 'search' | 'commit';
  /** Counts from 1. */
  readonly attempt: number;
  /** Whether the kind can search the processor for what an operation made. */
  readonly canSearch: boolean;
}

/** What the processor returns for a request that will never be accepted as it is. */
const FINAL_STATUSES: ReadonlySet<number | undefined> = new Set([400, 402, 404]);

/** Decides what to do after an attempt failed with `error`. */
export function afterFailure(error: unknown, { step, attempt, canSearch }: Attempt): AfterFailure {
  // What the response would be stored on is gone.
  if (step === 'commit') return isNotFound(error) ? 'cancel' : 'retry';
  if (step === 'search') return isMissing(error) ? 'cancel' : 'retry';
  if (!canSearch) return isRefusal(error, attempt) ? 'cancel' : 'retry';
  if (isSpent(error)) return 'close-key';
  return isFinal(error) ? 'cancel' : 'retry';
}

/**
 * Returns whether the write was not done, and would not be done by another attempt.
 *
 * A failure on its side (5xx) counts: every repeat under the same key would get it, and if the write was done all the
 * same, the processor's webhook brings it. A secret key that is refused on a later attempt says nothing about what the
 * earlier attempt did.
 */
export function isRefusal(error: unknown, attempt: number): boolean {
  if (!(error instanceof ProcessorError)) return false;
  if (isRefusedKey(error)) return attempt === 1;
  return error.processorCode !== 'idempotency_key_in_use';
}

/** Returns whether every repeat under the key gets this failure, which leaves open whether the write was done. */
function isSpent(error: unknown): boolean {
  return isUsedOtherwise(error) || (error instanceof ProcessorError && error.isIndeterminate && error.isReplayed);
}

/** Returns whether the request itself was refused. A missing permission of the secret key can be added, so that is not final. */
function isFinal(error: unknown): boolean {
  if (error instanceof ProcessorError) return FINAL_STATUSES.has(error.processorStatus);
  return isNotFound(error);
}

const isNotFound = (error: unknown) => error instanceof Problem && error.kind === 'not_found';
