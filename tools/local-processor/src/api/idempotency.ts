import type { Account } from '../store/account.ts';
import { ApiError } from './errors.ts';

const RETENTION_MS = 24 * 3_600_000;
const MAX_KEY_LENGTH = 255;

/** A response whose body is already JSON. */
export interface ApiResponse {
  status: number;
  body: string;
}

/**
 * Starts a request with an idempotency key. Returns the saved response if the key has one; otherwise reserves the key
 * until `saveResponse` or `releaseKey`. (Stripe: https://docs.stripe.com/api/idempotent_requests)
 * @throws ApiError 409 while the first request with the key runs, 400 when the key was used for another request
 */
export function reserveKey(
  account: Account,
  key: string,
  endpoint: string,
  parameters: string,
): ApiResponse | undefined {
  if (key.length > MAX_KEY_LENGTH)
    throw idempotencyError(
      400,
      `Idempotency keys must be at most ${MAX_KEY_LENGTH} characters. Yours has ${key.length}.`,
    );
  const saved = account.tables.idempotent_response.get(key);
  if (!saved || saved.createdAt < nowMs(account) - RETENTION_MS) {
    account.tables.idempotent_response.remove(key);
    account.tables.idempotent_response.put({
      id: key,
      endpoint,
      parameters,
      createdAt: nowMs(account),
      response: null,
    });
    return undefined;
  }
  if (saved.endpoint !== endpoint)
    throw idempotencyError(
      400,
      `Keys for idempotent requests can only be used for the same endpoint they were first used for ('${saved.endpoint}'). Try using a key other than '${key}' if you meant to execute a different request.`,
    );
  if (saved.parameters !== parameters)
    throw idempotencyError(
      400,
      `Keys for idempotent requests can only be used with the same parameters they were first used with. Try using a key other than '${key}' if you meant to execute a different request.`,
    );
  if (saved.response === null)
    throw idempotencyError(
      409,
      `There is currently another in-progress request using this Idempotent Key (that probably means you submitted twice, and the other request is still going through): ${key}. Please try again later.`,
      'idempotency_key_in_use',
    );
  return saved.response;
}

/** Saves the response for 24 hours. Error responses are saved and replayed too. */
export function saveResponse(account: Account, key: string, response: ApiResponse): void {
  const row = account.tables.idempotent_response.get(key);
  if (row) account.tables.idempotent_response.put({ ...row, response });
}

/** Releases a key whose request has not executed. */
export function releaseKey(account: Account, key: string): void {
  account.tables.idempotent_response.remove(key);
}

/** Deletes responses that are older than 24 hours by the account's clock. */
export function deleteOldResponses(account: Account): void {
  const oldest = nowMs(account) - RETENTION_MS;
  for (const { id, createdAt } of account.tables.idempotent_response.newestFirst())
    if (createdAt < oldest) account.tables.idempotent_response.remove(id);
}

/** Releases the keys of requests that a previous process did not complete. */
export function releaseInterruptedKeys(account: Account): void {
  for (const { id, response } of account.tables.idempotent_response.newestFirst())
    if (response === null) account.tables.idempotent_response.remove(id);
}

const nowMs = (account: Account) => account.now() * 1_000;

function idempotencyError(status: number, message: string, code?: string): ApiError {
  const body = { type: 'idempotency_error' as const, message };
  return new ApiError(status, code === undefined ? body : { ...body, code }, false);
}
