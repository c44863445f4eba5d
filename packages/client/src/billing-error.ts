import type { ErrorBody } from '@billing/contracts/problem';
import type { ErrorCode, ErrorDetails, FieldError } from './wire.ts';

interface Failure {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly requestId?: string | undefined;
  readonly details?: Readonly<Record<string, unknown>> | undefined;
  readonly retryAfterSeconds?: number | undefined;
}

/**
 * A failed call. `code` is the service's error code; `connection_failed` or `timed_out`, with status 0, without a
 * response; `unexpected_response` when the response is not the service's, but a proxy's for example.
 */
export class BillingError extends Error {
  override readonly name = 'BillingError';
  /** HTTP status; 0 without a response. */
  readonly status: number;
  /** For example `customer_email_taken`. */
  readonly code: string;
  /** Identifies the request in the service's logs. */
  readonly requestId: string | undefined;
  readonly details: Readonly<Record<string, unknown>> | undefined;
  /** How long to wait before another attempt, if the service named a time. */
  readonly retryAfterSeconds: number | undefined;

  constructor(failure: Failure, options?: ErrorOptions) {
    super(failure.message, options);
    this.status = failure.status;
    this.code = failure.code;
    this.requestId = failure.requestId;
    this.details = failure.details;
    this.retryAfterSeconds = failure.retryAfterSeconds;
  }

  /** Whether this is the error with `code`, whose `details` are typed then: `amount_changed`, `currency_mismatch` and `payment_failed` have some. */
  is<Code extends ErrorCode | 'connection_failed' | 'timed_out' | 'unexpected_response'>(
    code: Code,
  ): this is { readonly code: Code; readonly details: Code extends keyof ErrorDetails ? ErrorDetails[Code] : unknown } {
    return this.code === code;
  }

  /** The invalid fields of a `validation_error`; empty for other codes. */
  get fields(): readonly FieldError[] {
    const fields = this.code === 'validation_error' ? this.details?.['fields'] : undefined;
    return Array.isArray(fields) ? (fields as FieldError[]) : []; // the contract of `validation_error` has this shape
  }

  /** Creates the error of a failed response, from it and the text of its body. */
  static fromResponse(response: Response, text: string): BillingError {
    const { status, statusText, headers } = response;
    const retryAfterSeconds = secondsUntil(headers.get('retry-after'));
    const body = parseJson(text);
    if (isErrorBody(body)) return new BillingError({ ...body.error, status, retryAfterSeconds });
    return new BillingError({
      status,
      retryAfterSeconds,
      requestId: headers.get('x-request-id') ?? undefined,
      code: 'unexpected_response',
      message: `Unexpected response ${status} ${statusText}`.trim(),
    });
  }
}

/** Parses JSON; returns undefined when the text is not JSON. */
export function parseJson(text: string): unknown {
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

/** Returns the seconds of a `Retry-After` header, which is a number of seconds or, from some proxies, a date. */
function secondsUntil(retryAfter: string | null): number | undefined {
  if (retryAfter === null) return undefined;
  const seconds = /^\d+$/.test(retryAfter) ? Number(retryAfter) : (Date.parse(retryAfter) - Date.now()) / 1_000;
  return Number.isFinite(seconds) ? Math.max(0, seconds) : undefined;
}
