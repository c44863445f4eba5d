import { parseObject, type Fields } from './fields.ts';
import { methodFields } from './payment-method.ts';
import { firstItem, flag, reference, shortText, text, unixTime, wholeNumber } from './values.ts';

/** Parses a payment intent of any API version; the failure is that of the last attempt, which a later one may have made good. */
export const readPaymentIntent = (raw: unknown) =>
  parseObject(raw, intent => {
    const lastError = intent.optionalObject('last_payment_error', it => ({
      failureCode: it.optional('code', shortText),
      failureMessage: it.optional('message', text),
      refusedMethod: it.optionalObject('payment_method', method => methodFields(method, method)),
    }));
    // Only API versions before 2022-11-15 have the charges, newest first.
    const charge = intent.optional('charges', firstItem);
    const charged = charge === null ? null : parseObject(charge, chargedMethod);
    return {
      ...paidFields(intent),
      /** What was captured of the amount; null where the object does not say it. */
      amountReceived: intent.optional('amount_received', wholeNumber),
      failureCode: lastError?.failureCode ?? null,
      failureMessage: lastError?.failureMessage ?? null,
      /** What the last attempt that failed was to charge; null where the object does not say it. */
      refusedMethod: lastError?.refusedMethod ?? null,
      /** What was charged; null where the object does not say it. */
      paymentMethod: charged,
    };
  });

/** A payment intent of the processor. */
export type PaymentIntentSnapshot = Readonly<ReturnType<typeof readPaymentIntent>>;

/**
 * Why a payment intent is not paid although none of its attempts has failed: the bank wants the customer to confirm it, or there is
 * nothing to charge.
 */
export type PaymentObstacle = 'authentication_required' | 'payment_method_missing';

/** Returns what keeps a payment intent from being paid that was attempted. https://docs.stripe.com/payments/paymentintents/lifecycle */
export function obstacleOf(intent: Fields): PaymentObstacle | null {
  const status = intent.optional('status', shortText);
  if (status === 'requires_action') return 'authentication_required';
  const hasFailed = intent.optionalObject('last_payment_error', () => true) ?? false;
  return status === 'requires_payment_method' && !hasFailed ? 'payment_method_missing' : null;
}

/** Parses a charge of any API version. */
export const readCharge = (raw: unknown) =>
  parseObject(raw, charge => ({
    ...paidFields(charge),
    /** `pending`, `succeeded` or `failed`; other words may be added. */
    status: charge.optional('status', shortText),
    /** False for an authorization that has not been captured. https://docs.stripe.com/payments/place-a-hold-on-a-payment-method */
    isCaptured: charge.optional('captured', flag) ?? true,
    /** What was captured of the amount; null where the object does not say it. */
    amountCaptured: charge.optional('amount_captured', wholeNumber),
    amountRefunded: charge.optional('amount_refunded', wholeNumber) ?? 0,
    /** Whether nothing is left of it: all was refunded, or the authorization was released. */
    isRefunded: charge.optional('refunded', flag) ?? false,
    failureCode: charge.optional('failure_code', shortText),
    failureMessage: charge.optional('failure_message', text),
    /** What was charged; null where the object does not say it. */
    paymentMethod: chargedMethod(charge),
    paymentIntentId: charge.optional('payment_intent', reference),
  }));

/** A charge of the processor: one attempt to pay. */
export type ChargeSnapshot = Readonly<ReturnType<typeof readCharge>>;

/** Parses a dispute of any API version. */
export const readDispute = (raw: unknown) => parseObject(raw, chargeChangeFields);

/** https://docs.stripe.com/api/disputes/object */
export type DisputeSnapshot = Readonly<ReturnType<typeof readDispute>>;

/** Parses a refund of any API version. */
export const readRefund = (raw: unknown) =>
  parseObject(raw, refund => ({
    ...chargeChangeFields(refund),
    metadata: refund.metadata(),
    createdAt: refund.optional('created', unixTime),
  }));

/** https://docs.stripe.com/api/refunds/object */
export type RefundSnapshot = Readonly<ReturnType<typeof readRefund>>;

const chargedMethod = (charge: Fields) =>
  charge.optionalObject('payment_method_details', details => methodFields(details, charge));

/** What payment intents and charges have in common; the amount is in the currency's smallest unit. */
const paidFields = (it: Fields) => ({
  id: it.required('id', shortText),
  amount: it.required('amount', wholeNumber),
  currency: it.required('currency', shortText),
  customerId: it.optional('customer', reference),
  /** Only API versions before 2025-03-31 name it. */
  invoiceId: it.optional('invoice', reference),
  metadata: it.metadata(),
  createdAt: it.required('created', unixTime),
});

const chargeChangeFields = (it: Fields) => ({
  id: it.required('id', shortText),
  amount: it.required('amount', wholeNumber),
  status: it.optional('status', shortText),
  chargeId: it.optional('charge', reference),
  paymentIntentId: it.optional('payment_intent', reference),
});
