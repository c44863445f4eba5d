import type { Account } from '../store/account.ts';
import { Failure } from './failure.ts';

const KEPT_MS = 24 * 3_600_000;
const LONGEST_KEY = 255;

export interface Answer {
  status: number;
  body: string;
}

/**
 * Begins a request under an idempotency key. Returns the kept answer if the key has one. Otherwise the key is taken
 * until `keep` or `release`. A key that is still running is 409, one used for something else 400.
 * (Stripe: https://docs.stripe.com/api/idempotent_requests)
 */
export function begin(account: Account, key: string, endpoint: string, parameters: string): Answer | undefined {
  if (key.length > LONGEST_KEY)
    throw refusal(400, `Idempotency keys must be at most ${LONGEST_KEY} characters. Yours has ${key.length}.`);
  const kept = account.tables.kept_answer.get(key);
  if (!kept || kept.createdAt < nowMs(account) - KEPT_MS) {
    account.tables.kept_answer.remove(key);
    account.tables.kept_answer.put({ id: key, endpoint, parameters, createdAt: nowMs(account), response: null });
    return undefined;
  }
  if (kept.endpoint !== endpoint)
    throw refusal(
      400,
      `Keys for idempotent requests can only be used for the same endpoint they were first used for ('${kept.endpoint}'). Try using a key other than '${key}' if you meant to execute a different request.`,
    );
  if (kept.parameters !== parameters)
    throw refusal(
      400,
      `Keys for idempotent requests can only be used with the same parameters they were first used with. Try using a key other than '${key}' if you meant to execute a different request.`,
    );
  if (kept.response === null)
    throw refusal(
      409,
      `There is currently another in-progress request using this Idempotent Key (that probably means you submitted twice, and the other request is still going through): ${key}. Please try again later.`,
      'idempotency_key_in_use',
    );
  return kept.response;
}

/** Keeps the answer for 24 hours, whatever it is: a failure is replayed just as well. */
export function keep(account: Account, key: string, response: Answer): void {
  const row = account.tables.kept_answer.get(key);
  if (row) account.tables.kept_answer.put({ ...row, response });
}

/** Frees a key whose request has not begun. */
export function release(account: Account, key: string): void {
  account.tables.kept_answer.remove(key);
}

/** Forgets what is older than 24 hours by the account's clock. */
export function forgetOldAnswers(account: Account): void {
  const oldest = nowMs(account) - KEPT_MS;
  for (const { id, createdAt } of account.tables.kept_answer.newestFirst())
    if (createdAt < oldest) account.tables.kept_answer.remove(id);
}

/** Frees the keys whose requests were cut off by the end of the process. */
export function freeInterruptedKeys(account: Account): void {
  for (const { id, response } of account.tables.kept_answer.newestFirst())
    if (response === null) account.tables.kept_answer.remove(id);
}

const nowMs = (account: Account) => account.now() * 1_000;

function refusal(status: number, message: string, code?: string): Failure {
  const body = { type: 'idempotency_error' as const, message };
  return new Failure(status, code === undefined ? body : { ...body, code }, false);
}
