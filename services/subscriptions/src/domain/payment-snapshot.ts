import { orNull, processorMetadata, reference, unixTime } from '@billing/processor/snapshots/read';
import { z } from 'zod';
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

const common = {
  id: z.string(),
  amount: z.int(),
  currency: z.string(),
  customer: orNull(reference),
  metadata: processorMetadata,
  created: unixTime,
};
const paymentIntent = z.object({ ...common, last_payment_error: orNull(z.object({ code: orNull(z.string()) })) });
const charge = z.object({ ...common, failure_code: orNull(z.string()), payment_intent: orNull(reference) });

/** Reads a payment intent in the shape of any API version. The type of the event tells how it ended. */
export function readPaymentIntent(raw: unknown, status: PaymentStatus): PaymentSnapshot {
  const { last_payment_error: lastError, ...it } = paymentIntent.parse(raw);
  return {
    ...commonFields(it),
    kind: 'payment_intent',
    status,
    // A payment that succeeded may still carry the error of an earlier attempt.
    failureCode: status === 'failed' ? (lastError?.code ?? null) : null,
    processorPaymentIntentId: null,
  };
}

/** Reads a charge in the shape of any API version. The type of the event tells how it ended. */
export function readCharge(raw: unknown, status: PaymentStatus): PaymentSnapshot {
  const { failure_code: failureCode, payment_intent: processorPaymentIntentId, ...it } = charge.parse(raw);
  return { ...commonFields(it), kind: 'charge', status, failureCode, processorPaymentIntentId };
}

function commonFields(it: z.output<z.ZodObject<typeof common>>) {
  const { id, amount, currency, customer, metadata, created } = it;
  return { processorId: id, amount, currency, processorCustomerId: customer, metadata, createdAt: created };
}
