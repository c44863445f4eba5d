import { Problem } from '@billing/contracts/problem';
import { isMissing, isRefusedKey, isUnknownOutcome, isUsedOtherwise, ProcessorError } from '../errors.ts';

/**
 * What to do after a failed attempt:
 * - `cancel`: the processor has not done the write, as far as it can be seen there
 * - `close-key`: nothing more is sent under this key; later the write is searched for
 * - `retry`: the same request under the same key, later
 */
export type AfterFailure = 'cancel' | 'close-key' | 'retry';

interface Attempt {
  /**
   * What failed: the preparation, before anything was sent; a call to the processor, after which a search found nothing if
   * the outcome was unknown; the search itself; the commit of a response. `give-up` when the search under a closed key found
   * nothing.
   */
  readonly step: 'prepare' | 'send' | 'search' | 'commit' | 'give-up';
  /** Counts from 1. */
  readonly attempt: number;
  /** Whether nobody repeats the operation, so that a failure of the processor does not end it. */
  readonly mustSucceed: boolean;
}

/** What the processor returns for a request that will never be accepted as it is. */
const FINAL_STATUSES: ReadonlySet<number | undefined> = new Set([400, 402, 404]);

/** Decides what to do after an attempt failed with `error`. */
export function afterFailure(error: unknown, { step, attempt, mustSucceed }: Attempt): AfterFailure {
  if (step === 'give-up') return 'cancel';
  // The caller is told that nothing was sent, and repeats it.
  if (step === 'prepare' && !mustSucceed) return 'cancel';
  // What the response would be stored on is gone.
  if (step === 'commit') return isNotFound(error) ? 'cancel' : 'retry';
  // The caller is told that the processor failed, so that only a search may follow.
  if (step === 'search') return isMissing(error) ? 'cancel' : mustSucceed ? 'retry' : 'close-key';
  if (mustSucceed && isUnknownOutcome(error)) return isSpent(error) ? 'close-key' : 'retry';
  return isRefusal(error, attempt, mustSucceed) ? 'cancel' : 'retry';
}

/**
 * Returns whether the write was not done, so that the operation ends. A failure whose search found nothing counts, because
 * the caller learns of it and may repeat. For what must succeed it does not, and a permission that the secret key lacks can
 * be added. A key that is refused on a later attempt says nothing about what the earlier attempt did.
 */
function isRefusal(error: unknown, attempt: number, mustSucceed: boolean): boolean {
  if (!(error instanceof ProcessorError))
    return isNotFound(error) || isChangedMeanwhile(error) || (!mustSucceed && isDecided(error, attempt));
  if (mustSucceed) return FINAL_STATUSES.has(error.processorStatus);
  if (isRefusedKey(error)) return attempt === 1;
  return error.processorCode !== 'idempotency_key_in_use';
}

/** Returns whether every repeat under the key gets this failure. */
const isSpent = (error: unknown) => isUsedOtherwise(error) || (error instanceof ProcessorError && error.isStored);

const isNotFound = (error: unknown) => error instanceof Problem && error.kind === 'not_found';

/** Returns whether a kind refuses it by what the processor returned, or there was no account to send it to. */
const isDecided = (error: unknown, attempt: number) =>
  error instanceof Problem &&
  (error.kind === 'unprocessable' ||
    (error.kind === 'conflict' && (attempt === 1 || error.code !== 'processor_not_connected')));

/** Returns whether a kind found that what it was to change is no more as it was planned for. */
const isChangedMeanwhile = (error: unknown) => error instanceof Problem && error.code === 'conflict';
