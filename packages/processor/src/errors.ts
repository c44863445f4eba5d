import { Stripe } from 'stripe';
import { Problem, unavailable } from '@billing/contracts/problem';
import type { SyncType } from '@billing/contracts/resources/sync';
import { InvalidObject } from './snapshots/fields.ts';
import { withoutKeys } from './without-keys.ts';

/** An object that the processor does not have, of a type that we have records of. */
export interface MissingObject {
  readonly type: SyncType;
  /** The processor's id. */
  readonly processorId: string;
}

/**
 * The processor refused, or failed in a way that says nothing about the outcome: 502, with its own message but no secret. When it
 * does not have the object of a record, that record does not exist any more: 404, by the record's name.
 */
export class ProcessorError extends Problem {
  /** The processor's error code, for example `resource_missing`. */
  readonly processorCode: string | undefined;
  /** The HTTP status of its response, if there was one that could be read. */
  readonly processorStatus: number | undefined;
  /** Whether the processor may have done it all the same. */
  readonly isIndeterminate: boolean;
  /**
   * Whether the request has ended and, for 24 hours, every repeat under its idempotency key gets the same response: the
   * processor replayed it, or says that a retry is of no use. https://docs.stripe.com/api/idempotent_requests
   */
  readonly isStored: boolean;
  /** Null unless the processor has no such object. */
  readonly missing: MissingObject | null;

  constructor(message: string, error: Stripe.errors.StripeError) {
    const { rawType: type, code, requestId } = error;
    const missing = missingObjectOf(error);
    const options = { details: { type, code, requestId }, cause: error };
    if (missing) super('not_found', `${missing.type}_not_found`, goneMessage(missing.type), options);
    else super('processor_failed', 'processor_error', message, options);
    this.missing = missing;
    this.processorCode = code;
    this.processorStatus = error.statusCode;
    this.isIndeterminate = (error.statusCode ?? 500) >= 500;
    const headers = error.headers ?? {};
    this.isStored = headers['idempotent-replayed'] === 'true' || headers['stripe-should-retry'] === 'false';
  }
}

const goneMessage = (type: SyncType): string =>
  `No such ${type.replace('_', ' ')}: the payment processor does not have it any more.`;

/** Types of records by the words of Stripe's messages. */
const TYPES: ReadonlyMap<string, SyncType> = new Map([
  ['customer', 'customer'],
  ['subscription', 'subscription'],
  ['invoice', 'invoice'],
  ['charge', 'payment'],
  ['payment_intent', 'payment'],
  ['product', 'product'],
  ['price', 'price'],
  ['plan', 'price'],
  ['coupon', 'coupon'],
  ['promotion_code', 'promotion_code'],
]);

/**
 * Returns the object that an error says the processor does not have. One that it has in its other mode, test or live, is not gone:
 * the team's key is the wrong one.
 */
function missingObjectOf({ code, message }: Stripe.errors.StripeError): MissingObject | null {
  const [, word = '', processorId = ''] = /^No such ([\w ]+): '?([^']+?)'?(?:;|$)/.exec(message) ?? [];
  const type = TYPES.get(word.toLowerCase().replaceAll(' ', '_'));
  if (code !== 'resource_missing' || !type || message.includes('similar object exists')) return null;
  return { type, processorId };
}

/** Returns the error of a call about a customer that the processor has deleted, where it responds with the stub that is left. */
export const missingCustomer = (id: string): Stripe.errors.StripeError => {
  const message = `No such customer: '${id}'`;
  return new Stripe.errors.StripeInvalidRequestError({
    message,
    code: 'resource_missing',
    param: 'id',
    statusCode: 404,
  });
};

/** Returns what the service throws for an error of the library. */
export function problemOfStripe(error: unknown): unknown {
  const { StripeError, StripeAPIError, StripeConnectionError, StripeRateLimitError, StripeAuthenticationError } =
    Stripe.errors;
  if (error instanceof InvalidObject) {
    const cause = new StripeAPIError({ message: error.message });
    return new ProcessorError('The payment processor sent a response that cannot be read.', cause);
  }
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
  const did = (error.statusCode ?? 500) < 500 ? 'refused' : 'failed';
  return new ProcessorError(`The payment processor ${did}: ${withoutKeys(error.message)}`, error);
}

/** Returns whether an error says that the processor has no such object. */
export function isMissing(error: unknown): boolean {
  return error instanceof ProcessorError && error.processorCode === 'resource_missing';
}

/** Returns whether an error says that the processor has refused a call, and so has done nothing. */
export function isRefused(error: unknown): error is ProcessorError {
  return error instanceof ProcessorError && !error.isIndeterminate;
}

/** Returns whether a call was refused for a reason, or because of a parameter, by the processor's names. */
export function isRefusedFor(error: unknown, names: { readonly code?: string; readonly param?: string }): boolean {
  if (!isRefused(error)) return false;
  const { cause, processorCode } = error;
  const param = cause instanceof Stripe.errors.StripeError ? cause.param : undefined;
  return (names.code !== undefined && processorCode === names.code) || (param !== undefined && param === names.param);
}

/** Why a payment failed: the card was declined, or there is none; or the bank wants the customer to confirm it. */
export interface PaymentFailure {
  readonly reason: 'declined' | 'authentication_required';
  /** The bank's reason, for example `insufficient_funds`. https://docs.stripe.com/declines/codes */
  readonly declineCode: string | null;
}

/** Returns why a payment failed that a call needed; null for any other error. */
export function paymentFailureOf(error: unknown): PaymentFailure | null {
  if (!(error instanceof ProcessorError)) return null;
  if (lacksPaymentMethod(error)) return { reason: 'declined', declineCode: null };
  if (error.processorStatus !== 402) return null;
  const { cause } = error;
  // The library has an empty text where the bank gave none.
  const declineCode = cause instanceof Stripe.errors.StripeError ? cause.decline_code || null : null;
  return { reason: needsConfirmation(error.processorCode) ? 'authentication_required' : 'declined', declineCode };
}

/**
 * Returns whether an error of a payment says that the bank wants the customer to confirm it: it waits for that, or was declined
 * because the customer was not there. https://docs.stripe.com/error-codes
 */
export const needsConfirmation = (code: string | null | undefined): boolean =>
  code === 'authentication_required' || (code?.endsWith('requires_action') ?? false);

/**
 * The customer has no payment method: unlike for any other missing object, no parameter is named that refers to it. Of an
 * invoice that is to be paid, only the message says it.
 */
const lacksPaymentMethod = ({ processorStatus, processorCode, cause }: ProcessorError): boolean =>
  processorStatus === 400 &&
  cause instanceof Stripe.errors.StripeError &&
  cause.param === undefined &&
  (processorCode === 'resource_missing' || cause.message.includes('no `default_payment_method`'));

/**
 * Returns whether a call was refused because of a promotion code: what the processor alone knows, for example that it is for
 * first payments only. https://docs.stripe.com/api/promotion_codes/object
 */
export function isRefusedPromotionCode(error: unknown): boolean {
  if (!isRefused(error)) return false;
  const { cause, processorCode: code = '' } = error;
  if (code === 'coupon_expired' || code.startsWith('promotion_code_')) return true;
  return cause instanceof Stripe.errors.StripeError && (cause.param?.endsWith('[promotion_code]') ?? false);
}

/** For reading what may be gone: returns null for an error that says so, and throws any other. */
export function nullIfMissing(error: unknown): null {
  if (isMissing(error)) return null;
  throw error;
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

/**
 * Returns whether an error leaves open whether the processor did the write, although it has responded: it failed, something
 * in between responded in its place, or the idempotency key was used before with other bytes, perhaps for this very write.
 */
export function isUnknownOutcome(error: unknown): boolean {
  return isUsedOtherwise(error) || (error instanceof ProcessorError && error.isIndeterminate);
}

/**
 * Returns the permission that a restricted key lacks, as the processor names it (`rak_webhook_write`); null for any other
 * error. https://docs.stripe.com/keys/restricted-api-keys
 */
export function missingPermission(error: unknown): string | null {
  if (!(error instanceof ProcessorError) || error.processorStatus !== 403) return null;
  return /'(rak_[a-z_]+)'/.exec(error.message)?.[1] ?? 'of this call';
}

/** Returns whether an error says that the idempotency key has been used for another request, or with other parameters. */
export function isUsedOtherwise(error: unknown): boolean {
  if (!(error instanceof ProcessorError)) return false;
  const { cause } = error;
  return (
    cause instanceof Stripe.errors.StripeError && cause.rawType === 'idempotency_error' && cause.statusCode === 400
  );
}
