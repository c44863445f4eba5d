import { invoiceState } from '../resources/invoice.ts';
import { payment, storedPaymentMethod } from '../resources/payment.ts';
import { defineRecordEvent } from './record-event.ts';

export const InvoiceSaved = defineRecordEvent('invoice.saved', invoiceState);
export const PaymentSaved = defineRecordEvent(
  'payment.saved',
  payment.extend({ paymentMethod: storedPaymentMethod.nullable() }),
);
