import { z } from 'zod';

/** The kinds of problem and the HTTP status of each. */
export const PROBLEM_STATUS = {
  validation: 400,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  request_timeout: 408,
  conflict: 409,
  payload_too_large: 413,
  unsupported_media_type: 415,
  unprocessable: 422,
  rate_limited: 429,
  internal: 500,
  processor_failed: 502,
  unavailable: 503,
} as const;
export type ProblemKind = keyof typeof PROBLEM_STATUS;

export interface FieldError {
  readonly path: string;
  readonly message: string;
}

export const errorBody = z
  .object({
    error: z
      .object({
        code: z.string().describe('Names the problem; each operation lists its codes.'),
        message: z.string().describe('What is wrong, for people.'),
        details: z.record(z.string(), z.unknown()).optional().describe('More about it; its fields depend on the code.'),
        requestId: z.string().describe('The `X-Request-Id` of the response.'),
      })
      .describe('What went wrong.'),
  })
  .meta({ id: 'Error', description: 'The body of every error response.' });
export type ErrorBody = z.output<typeof errorBody>;

/** The header by which a service tells the gateway the code of a problem; callers do not receive it. */
export const PROBLEM_HEADER = 'x-billing-problem';

interface ProblemOptions extends ErrorOptions {
  readonly details?: Readonly<Record<string, unknown>>;
  /** Whole seconds after which a retry makes sense; becomes `Retry-After`. */
  readonly retryAfterSeconds?: number;
}

/** An error that the caller sees by its `code` and `message`. Any other error becomes a 500. */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly kind: ProblemKind;
  readonly code: string;
  readonly details: Readonly<Record<string, unknown>> | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(kind: ProblemKind, code: string, message: string, options: ProblemOptions = {}) {
    super(message, options);
    this.kind = kind;
    this.code = code;
    this.details = options.details;
    this.retryAfterSeconds = options.retryAfterSeconds;
  }

  get status(): number {
    return PROBLEM_STATUS[this.kind];
  }

  /** Whether the same request may succeed later; such a response is not stored under an idempotency key. */
  get isTransient(): boolean {
    return this.status >= 500 || this.retryAfterSeconds !== undefined;
  }

  /** Returns the response body that every service and the gateway send. */
  toBody(requestId: string): ErrorBody {
    const { code, message, details } = this;
    return { error: { code, message, ...(details && { details: { ...details } }), requestId } };
  }
}

/** 400 that lists every invalid field. */
export function invalid(fields: readonly FieldError[], message = 'The request is not valid.'): Problem {
  return new Problem('validation', 'validation_error', message, { details: { fields } });
}

/** 401; the same response whatever was wrong with the credentials. */
export function unauthorized(): Problem {
  return new Problem('unauthorized', 'unauthorized', 'Valid credentials are required.');
}

/** 403; names the missing scope if there is one. */
export function forbidden(requiredScope?: string): Problem {
  const message = requiredScope
    ? `This credential lacks the scope ${requiredScope}.`
    : 'This credential does not give access to this resource.';
  return new Problem('forbidden', 'forbidden', message, requiredScope ? { details: { requiredScope } } : {});
}

/** 404; the same response for a resource that never existed and for one of another project. */
export function notFound(resource: string, message = `No such ${resource.replaceAll('_', ' ')}.`): Problem {
  return new Problem('not_found', `${resource}_not_found`, message);
}

/** 409: the current state does not allow it. Set `retryAfterSeconds` where waiting helps. */
export function conflict(code: string, message: string, retryAfterSeconds?: number): Problem {
  return new Problem('conflict', code, message, retryAfterSeconds === undefined ? {} : { retryAfterSeconds });
}

/** 409: other writes of the same record came in between; the same request may succeed now. */
export function changedMeanwhile(options: ErrorOptions = {}): Problem {
  const message = 'The record was changed meanwhile; try again.';
  return new Problem('conflict', 'conflict', message, { ...options, retryAfterSeconds: 1 });
}

/** 422: a well-formed request that breaks a business rule. */
export function unprocessable(code: string, message: string, details?: Problem['details']): Problem {
  return new Problem('unprocessable', code, message, details && { details });
}

/** 422: there are as many of something as there may be. */
export const quotaExceeded = (quota: string, limit: number): Problem =>
  unprocessable('quota_exceeded', `The limit of ${limit} ${quota.replaceAll('_', ' ')} is reached.`, { quota, limit });

/** 503: a dependency is unavailable. */
export function unavailable(message: string, retryAfterSeconds = 2, options: ErrorOptions = {}): Problem {
  return new Problem('unavailable', 'unavailable', message, { ...options, retryAfterSeconds });
}
