import { firstItem, flag, parseObject, reference, text, unixTime, wholeNumber, type Fields } from './fields.ts';

/** What tells a method of payment apart from others. */
export interface PaymentMethodSnapshot {
  readonly type: string;
  readonly brand: string | null;
  readonly last4: string | null;
}

/** What payment intents and charges have in common; the amount is in the currency's smallest unit. */
interface PaidSnapshot {
  readonly id: string;
  readonly amount: number;
  readonly currency: string;
  readonly failureCode: string | null;
  readonly failureMessage: string | null;
  /** What was charged; null where the object does not say it. */
  readonly paymentMethod: PaymentMethodSnapshot | null;
  readonly customerId: string | null;
  /** Only API versions before 2025-03-31 name it. */
  readonly invoiceId: string | null;
  readonly metadata: Readonly<Record<string, string>>;
  readonly createdAt: Date;
}

/** A payment intent of the processor; the failure is that of the last attempt, which a later one may have made good. */
export interface PaymentIntentSnapshot extends PaidSnapshot {
  /** What was captured of the amount; null where the object does not say it. */
  readonly amountReceived: number | null;
  /** What the last attempt that failed was to charge; null where the object does not say it. */
  readonly refusedMethod: PaymentMethodSnapshot | null;
}

/** A charge of the processor: one attempt to pay. */
export interface ChargeSnapshot extends PaidSnapshot {
  /** `pending`, `succeeded` or `failed`; other words may be added. */
  readonly status: string | null;
  /** False for an authorization that has not been captured. https://docs.stripe.com/payments/place-a-hold-on-a-payment-method */
  readonly isCaptured: boolean;
  /** What was captured of the amount; null where the object does not say it. */
  readonly amountCaptured: number | null;
  readonly amountRefunded: number;
  /** Whether nothing is left of it: all was refunded, or the authorization was released. */
  readonly isRefunded: boolean;
  readonly paymentIntentId: string | null;
}

/** A dispute or a refund of a charge. */
interface ChargeChangeSnapshot {
  readonly id: string;
  readonly amount: number;
  readonly status: string | null;
  readonly chargeId: string | null;
  readonly paymentIntentId: string | null;
}

/** https://docs.stripe.com/api/disputes/object */
export type DisputeSnapshot = ChargeChangeSnapshot;
/** https://docs.stripe.com/api/refunds/object */
export interface RefundSnapshot extends ChargeChangeSnapshot {
  readonly metadata: Readonly<Record<string, string>>;
  readonly createdAt: Date | null;
}

/** Parses a payment intent of any API version. */
export const readPaymentIntent = (raw: unknown): PaymentIntentSnapshot =>
  parseObject(raw, intent => {
    const lastError = intent.optionalObject('last_payment_error', it => ({
      failureCode: it.optional('code', text),
      failureMessage: it.optional('message', text),
      refusedMethod: it.optionalObject('payment_method', methodFields),
    }));
    // Only API versions before 2022-11-15 have the charges, newest first.
    const charge = intent.optional('charges', firstItem);
    const charged = charge === null ? null : parseObject(charge, chargedMethod);
    const amountReceived = intent.optional('amount_received', wholeNumber);
    const { failureCode = null, failureMessage = null, refusedMethod = null } = lastError ?? {};
    const failure = { failureCode, failureMessage, refusedMethod };
    return { ...paidFields(intent), amountReceived, ...failure, paymentMethod: charged };
  });

/** Parses a charge of any API version. */
export const readCharge = (raw: unknown): ChargeSnapshot =>
  parseObject(raw, charge => ({
    ...paidFields(charge),
    status: charge.optional('status', text),
    isCaptured: charge.optional('captured', flag) ?? true,
    amountCaptured: charge.optional('amount_captured', wholeNumber),
    amountRefunded: charge.optional('amount_refunded', wholeNumber) ?? 0,
    isRefunded: charge.optional('refunded', flag) ?? false,
    failureCode: charge.optional('failure_code', text),
    failureMessage: charge.optional('failure_message', text),
    paymentMethod: chargedMethod(charge),
    paymentIntentId: charge.optional('payment_intent', reference),
  }));

/** Parses a dispute of any API version. */
export const readDispute = (raw: unknown): DisputeSnapshot => parseObject(raw, chargeChangeFields);

/** Parses a refund of any API version. */
export const readRefund = (raw: unknown): RefundSnapshot =>
  parseObject(raw, refund => ({
    ...chargeChangeFields(refund),
    metadata: refund.metadata(),
    createdAt: refund.optional('created', unixTime),
  }));

const chargedMethod = (charge: Fields) => charge.optionalObject('payment_method_details', methodFields);

/** A method of payment, or the details of one that was charged: what it has is named like its type. */
function methodFields(method: Fields): PaymentMethodSnapshot | null {
  const type = method.optional('type', text);
  if (type === null) return null;
  const details = method.optionalObject(type, it => ({
    brand: it.optional('brand', text),
    last4: it.optional('last4', text) ?? it.optional('iban_last4', text),
  }));
  return { type, brand: details?.brand ?? null, last4: details?.last4 ?? null };
}

const paidFields = (it: Fields) => ({
  id: it.required('id', text),
  amount: it.required('amount', wholeNumber),
  currency: it.required('currency', text),
  customerId: it.optional('customer', reference),
  invoiceId: it.optional('invoice', reference),
  metadata: it.metadata(),
  createdAt: it.required('created', unixTime),
});

const chargeChangeFields = (it: Fields): ChargeChangeSnapshot => ({
  id: it.required('id', text),
  amount: it.required('amount', wholeNumber),
  status: it.optional('status', text),
  chargeId: it.optional('charge', reference),
  paymentIntentId: it.optional('payment_intent', reference),
});
