import { z } from 'zod';

/** What can be wrong with a request, and the HTTP status of each kind. */
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

/** The body of every answer that is not a success. */
export const errorBody = z.object({
  error: z.object({
    code: z.string(),
    message: z.string(),
    details: z.record(z.string(), z.unknown()).optional(),
    requestId: z.string(),
  }),
});
export type ErrorBody = z.output<typeof errorBody>;

interface ProblemOptions extends ErrorOptions {
  readonly details?: Readonly<Record<string, unknown>>;
  /** Whole seconds after which another try makes sense; becomes `Retry-After`. */
  readonly retryAfterSeconds?: number;
}

/** A failure the caller is meant to see, by its `code` and `message`. Any other error is ours to fix: a 500. */
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

  /** Whether the same request may fare better later: it is no answer to remember. */
  get isPassing(): boolean {
    return this.status >= 500 || this.retryAfterSeconds !== undefined;
  }

  /** The answer's body, as every service and the gateway render it. */
  toBody(requestId: string): ErrorBody {
    const { code, message, details } = this;
    return { error: { code, message, ...(details && { details: { ...details } }), requestId } };
  }
}

/** 400 that names every wrong field. */
export function invalid(fields: readonly FieldError[], message = 'The request is not valid.'): Problem {
  return new Problem('validation', 'validation_error', message, { details: { fields } });
}

/** 401; one and the same answer whatever was wrong with the credentials. */
export function unauthorized(): Problem {
  return new Problem('unauthorized', 'unauthorized', 'Valid credentials are required.');
}

/** 403; with the scope that is missing, where one is. */
export function forbidden(requiredScope?: string): Problem {
  const message = requiredScope
    ? `This credential lacks the scope ${requiredScope}.`
    : 'This credential does not give access to this resource.';
  return new Problem('forbidden', 'forbidden', message, requiredScope ? { details: { requiredScope } } : {});
}

/** 404; says the same of what never was and of what belongs to another project. */
export function notFound(resource: string): Problem {
  return new Problem('not_found', `${resource}_not_found`, `No such ${resource.replaceAll('_', ' ')}.`);
}

/** 409: the state of things forbids it. With `retryAfterSeconds` where waiting helps. */
export function conflict(code: string, message: string, retryAfterSeconds?: number): Problem {
  return new Problem('conflict', code, message, retryAfterSeconds === undefined ? {} : { retryAfterSeconds });
}

/** 422: a well-formed request that breaks a business rule. */
export function unprocessable(code: string, message: string): Problem {
  return new Problem('unprocessable', code, message);
}

/** 503: something the answer depends on is down. */
export function unavailable(message: string, retryAfterSeconds = 2, options: ErrorOptions = {}): Problem {
  return new Problem('unavailable', 'unavailable', message, { ...options, retryAfterSeconds });
}
