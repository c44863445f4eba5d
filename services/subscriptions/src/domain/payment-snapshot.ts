import { parseObject, reference, text, unixTime, wholeNumber, type Fields } from '@billing/processor/snapshots/fields';
import type { PaymentKind, PaymentStatus } from './payment.ts';

/** A payment intent or charge, as an event shows it; the amount is in the currency's smallest unit. */
export interface PaymentSnapshot {
  readonly processorId: string;
  readonly kind: PaymentKind;
  readonly status: PaymentStatus;
  readonly amount: number;
  readonly currency: string;
  readonly failureCode: string | null;
  readonly processorCustomerId: string | null;
  readonly processorPaymentIntentId: string | null;
  readonly metadata: Readonly<Record<string, string>>;
  readonly createdAt: Date;
}

/** Reads a payment intent in the shape of any API version. The type of the event tells how it ended. */
export const readPaymentIntent = (raw: unknown, status: PaymentStatus): PaymentSnapshot =>
  parseObject(raw, intent => {
    const lastError = intent.optionalObject('last_payment_error', it => ({ code: it.optional('code', text) }));
    return {
      ...commonFields(intent),
      kind: 'payment_intent',
      status,
      // A payment that succeeded may still carry the error of an earlier attempt.
      failureCode: status === 'failed' ? (lastError?.code ?? null) : null,
      processorPaymentIntentId: null,
    };
  });

/** Reads a charge in the shape of any API version. The type of the event tells how it ended. */
export const readCharge = (raw: unknown, status: PaymentStatus): PaymentSnapshot =>
  parseObject(raw, charge => ({
    ...commonFields(charge),
    kind: 'charge',
    status,
    failureCode: charge.optional('failure_code', text),
    processorPaymentIntentId: charge.optional('payment_intent', reference),
  }));

const commonFields = (it: Fields) => ({
  processorId: it.required('id', text),
  amount: it.required('amount', wholeNumber),
  currency: it.required('currency', text),
  processorCustomerId: it.optional('customer', reference),
  metadata: it.metadata(),
  createdAt: it.required('created', unixTime),
});
