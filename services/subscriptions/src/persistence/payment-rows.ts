import { objectRows } from './object-rows.ts';
import { Payment } from './payment.entity.ts';

/** The rows of the processor's payment intents and charges. */
export const paymentRows = objectRows(Payment, {
  processorId: 'processorId',
  fixed: ['kind', 'customerId', 'processorPaymentIntentId', 'createdAt'],
});
