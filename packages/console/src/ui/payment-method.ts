import { paymentMethodLine, type Payment } from '@billing/client';
import { READER_LOCALE } from './reader-locale.ts';

/** Says how a payment was made: "Visa •••• 4242", "PayPal · a•••e@example.com"; empty while that is not known. */
export const methodText = (method: Payment['paymentMethod']): string =>
  method ? paymentMethodLine(method, READER_LOCALE) : '';
