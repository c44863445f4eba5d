import type { BillingError, DunningCase, Payment } from '@billing/client';
import { sentence } from '#ui/sentence.ts';

/** Returns the failure of a payment as that of a failing invoice. */
export const failureOf = ({
  failureCode: code,
  failureMessage: message,
}: Pick<Payment, 'failureCode' | 'failureMessage'>): DunningCase['lastFailure'] => ({ code, message });

/** Returns why the newest attempt failed; a dash where nothing says it. */
export const describeFailedPayment = ({ code, message }: DunningCase['lastFailure']): string =>
  message ?? (code ? sentence(code) : '–');

/** Returns why a payment that was just tried failed; undefined for any other error. */
export function describeDecline(error: BillingError): string | undefined {
  if (!error.is('payment_failed')) return undefined;
  const { reason, declineCode } = error.details;
  // Stripe's refusal is the same where there is nothing to charge.
  if (reason === 'declined' && declineCode === null)
    return 'The payment was declined, or the customer has no payment method.';
  const why =
    reason === 'declined' ? 'The bank declined the payment' : 'The bank wants the customer to confirm the payment';
  return `${why}${declineCode ? ` (${declineCode})` : ''}.`;
}
