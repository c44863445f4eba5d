import { z } from 'zod';
import { orNull, processorMetadata, reference, unixTime } from '@billing/processor/snapshots/read';
import type { PaymentStatus } from '#domain/payment.ts';
import type { PaymentSnapshot } from '#operations/record-payment.ts';

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

/** Reads a payment intent in the shape of any API version; how it ended is what the event says. */
export function readPaymentIntent(raw: unknown, status: PaymentStatus): PaymentSnapshot {
  const { last_payment_error: lastError, ...it } = paymentIntent.parse(raw);
  return {
    ...commonFields(it),
    kind: 'payment_intent',
    status,
    // A payment that succeeded may still carry the error of an attempt before.
    failureCode: status === 'failed' ? (lastError?.code ?? null) : null,
    processorPaymentIntentId: null,
  };
}

/** Reads a charge in the shape of any API version; how it ended is what the event says. */
export function readCharge(raw: unknown, status: PaymentStatus): PaymentSnapshot {
  const { failure_code: failureCode, payment_intent: processorPaymentIntentId, ...it } = charge.parse(raw);
  return { ...commonFields(it), kind: 'charge', status, failureCode, processorPaymentIntentId };
}

function commonFields(it: z.output<z.ZodObject<typeof common>>) {
  const { id, amount, currency, customer, metadata, created } = it;
  return { processorId: id, amount, currency, processorCustomerId: customer, metadata, createdAt: created };
}
