import { objectRows } from './object-rows.ts';
import { Payment } from './payment.entity.ts';

/** The rows of payments, by the processor's id of the payment intent, or of a charge that has none. */
export const paymentRows = objectRows(Payment, {
  processorId: 'processorId',
  fixed: ['processorPaymentIntentId'],
});
