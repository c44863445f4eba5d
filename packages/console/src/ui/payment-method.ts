import type { Payment } from '@billing/client';
import { sentence } from './sentence.ts';

/** Says how a payment was made: "Visa •••• 4242", "Sepa debit •••• 3000", "Link"; empty while that is not known. */
export function methodText(method: Payment['paymentMethod']): string {
  if (!method) return '';
  const name = sentence(method.brand ?? method.type);
  return method.last4 === null ? name : `${name} •••• ${method.last4}`;
}
