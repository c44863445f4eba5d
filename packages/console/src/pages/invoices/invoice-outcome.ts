import { BillingError, type Invoice } from '@billing/client';
import { formatMoney } from '#ui/money.ts';
import { describeDecline } from '../failing-payments/failure-words.ts';

/** Whether an invoice was to be charged, and waits for another payment. */
export const isUnpaid = ({ status, dueDate }: Invoice): boolean => status === 'open' && dueDate === null;

/** What became of an invoice that is final, in words; undefined for one that could not be charged. */
export function outcomeText(invoice: Invoice): string | undefined {
  if (isUnpaid(invoice)) return undefined;
  return invoice.status === 'paid' ? 'The invoice is paid.' : 'The invoice is sent.';
}

/** Says why an invoice was refused, for the reasons that have their own words: what happened, and what to do. */
export function describeRefusal(error: unknown, currency: string) {
  if (!(error instanceof BillingError)) return undefined;
  const { requestId } = error;
  if (error.is('amount_changed')) {
    const [actual, expected] = [error.details.actual, error.details.expected].map(it => formatMoney(it, currency));
    const again = 'Look at the new preview, and confirm it. Nothing was billed.';
    return { requestId, children: `It comes to ${actual} now, and not to ${expected} any more. ${again}` };
  }
  const why = describeDecline(error);
  return (
    why && {
      requestId,
      children: `${why} The invoice is void. Send an invoice instead, or have the customer choose another payment method in the portal.`,
    }
  );
}
