import { Stripe } from 'stripe';
import { Problem, unavailable } from '@billing/contracts/problem';

/** The processor refused, or failed in a way that says nothing about the outcome: 502, with its own message but no secret. */
export class ProcessorError extends Problem {
  /** The processor's error code, for example `resource_missing`. */
  readonly processorCode: string | undefined;
  /** The HTTP status of its response, if there was one that could be read. */
  readonly processorStatus: number | undefined;
  /** Whether the processor may have done it all the same. */
  readonly isIndeterminate: boolean;
  /**
   * Whether the processor replayed the response that it stores under the idempotency key: the request that got it first
   * has ended, and for 24 hours every repeat gets it too. https://docs.stripe.com/api/idempotent_requests
   */
  readonly isReplayed: boolean;

  constructor(message: string, error: Stripe.errors.StripeError) {
    const { rawType: type, code, requestId } = error;
    super('processor_failed', 'processor_error', message, { details: { type, code, requestId }, cause: error });
    this.processorCode = code;
    this.processorStatus = error.statusCode;
    this.isIndeterminate = (error.statusCode ?? 500) >= 500;
    this.isReplayed = error.headers?.['idempotent-replayed'] === 'true';
  }
}

/** Returns what the service throws for an error of the library. */
export function toProblem(error: unknown): unknown {
  const { StripeError, StripeConnectionError, StripeRateLimitError, StripeAuthenticationError } = Stripe.errors;
  if (!(error instanceof StripeError)) return error;
  if (error instanceof StripeConnectionError) {
    return unavailable('The payment processor does not respond at the moment.', 5, { cause: error });
  }
  if (error instanceof StripeRateLimitError || error.statusCode === 429 || error.code === 'lock_timeout') {
    return unavailable('The payment processor limits requests at the moment.', 5, { cause: error });
  }
  if (error instanceof StripeAuthenticationError) {
    return new ProcessorError(
      'The payment processor refused the connected secret key; connect the processor again.',
      error,
    );
  }
  return new ProcessorError(`The payment processor refused: ${withoutKeys(error.message)}`, error);
}

/** Messages of the library may quote a key. */
function withoutKeys(message: string): string {
  return message.replaceAll(/\b(sk|rk|pk|whsec)_[A-Za-z0-9_*]+/g, '$1_…');
}

/** Returns whether an error says that the processor has no such object. */
export function isMissing(error: unknown): boolean {
  return error instanceof ProcessorError && error.processorCode === 'resource_missing';
}

/** For reading what may be gone: returns `missing` for an error that says so, and throws any other. */
export function missingOrThrow(error: unknown): 'missing' {
  if (isMissing(error)) return 'missing';
  throw error;
}

/** Returns whether an error says that the secret key is not accepted. */
export function isRefusedKey(error: unknown): boolean {
  return error instanceof ProcessorError && error.cause instanceof Stripe.errors.StripeAuthenticationError;
}

/** Returns whether an error says that the idempotency key has been used for another request, or with other parameters. */
export function isUsedOtherwise(error: unknown): boolean {
  if (!(error instanceof ProcessorError)) return false;
  const { cause } = error;
  return (
    cause instanceof Stripe.errors.StripeError && cause.rawType === 'idempotency_error' && cause.statusCode === 400
  );
}
