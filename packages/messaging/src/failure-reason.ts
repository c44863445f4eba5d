import { Problem } from '@billing/contracts/problem';
import { TimeoutError } from './timed-transaction.ts';

/** A failure that another attempt will not change: the event is dead-lettered at once. Its message is shown to the team. */
export class PermanentFailure extends Error {
  override readonly name: string = 'PermanentFailure';
}

/** The reason of whatever has no words of its own. */
export const UNEXPECTED = 'an unexpected error on our side; the log has it';
const TIMED_OUT = 'handling the event took too long';
const PROCESSOR = 'the payment processor refused a call or failed';

/**
 * Says why the handling of a webhook event failed, for the team's record of it: in our own words only. Messages of the
 * database, of libraries and of the processor stay in the log and in `dead_letters`.
 */
export function failureReason(err: unknown): string {
  if (err instanceof PermanentFailure) return err.message;
  if (err instanceof TimeoutError) return TIMED_OUT;
  if (!(err instanceof Problem) || err.kind === 'internal') return UNEXPECTED;
  if (err.kind !== 'processor_failed') return err.message;
  const code = err.details?.['code'];
  return typeof code === 'string' && /^[a-z_]{1,64}$/.test(code) ? `${PROCESSOR} (${code})` : PROCESSOR;
}
