import type { ErrorBody, FieldError } from '@billing/contracts/problem';

interface Failure {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly requestId?: string | undefined;
  readonly details?: Readonly<Record<string, unknown>> | undefined;
  readonly retryAfterSeconds?: number | undefined;
}

/**
 * What went wrong with a call: the service's answer; `connection_failed` or `timed_out` with status 0 when there was
 * none; `unexpected_answer` when something else answered, a proxy for example.
 */
export class BillingError extends Error {
  override readonly name = 'BillingError';
  /** HTTP status; 0 without an answer. */
  readonly status: number;
  /** For example `customer_email_taken`. */
  readonly code: string;
  /** Names the request in the service's logs. */
  readonly requestId: string | undefined;
  readonly details: Readonly<Record<string, unknown>> | undefined;
  /** When another try makes sense, if the service said so. */
  readonly retryAfterSeconds: number | undefined;

  constructor(failure: Failure, options?: ErrorOptions) {
    super(failure.message, options);
    this.status = failure.status;
    this.code = failure.code;
    this.requestId = failure.requestId;
    this.details = failure.details;
    this.retryAfterSeconds = failure.retryAfterSeconds;
  }

  /** Every wrong field of a `validation_error`; empty for any other. */
  get fields(): readonly FieldError[] {
    const fields = this.code === 'validation_error' ? this.details?.['fields'] : undefined;
    return Array.isArray(fields) ? (fields as FieldError[]) : []; // the service names fields in this shape
  }

  /** The error of an answer that is no success, and the text of its body. */
  static ofAnswer(response: Response, text: string): BillingError {
    const { status, statusText, headers } = response;
    const retryAfterSeconds = secondsUntil(headers.get('retry-after'));
    const body = jsonOf(text);
    if (isErrorBody(body)) return new BillingError({ ...body.error, status, retryAfterSeconds });
    return new BillingError({
      status,
      retryAfterSeconds,
      requestId: headers.get('x-request-id') ?? undefined,
      code: 'unexpected_answer',
      message: `Unexpected answer ${status} ${statusText}`.trim(),
    });
  }
}

/** A body's JSON; undefined when it is none. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isErrorBody(body: unknown): body is ErrorBody {
  if (typeof body !== 'object' || body === null || !('error' in body)) return false;
  const { error } = body;
  return typeof error === 'object' && error !== null && 'code' in error && 'message' in error;
}

/** A `Retry-After` header is a number of seconds or, from some proxies, a date. */
function secondsUntil(retryAfter: string | null): number | undefined {
  if (retryAfter === null) return undefined;
  const seconds = /^\d+$/.test(retryAfter) ? Number(retryAfter) : (Date.parse(retryAfter) - Date.now()) / 1_000;
  return Number.isFinite(seconds) ? Math.max(0, seconds) : undefined;
}
