import { unprocessable } from '@billing/contracts/problem';
import type { ProblemDetails } from '@billing/contracts/problem-details';
import type { PaymentFailure } from '@billing/processor/errors';
import type { Invoice } from '#money/invoice.entity';

/** The record of an invoice that was to be collected, and why it could not be charged. */
export interface CollectedInvoice {
  readonly invoice: Invoice;
  readonly failure: PaymentFailure | null;
}

/**
 * Returns what became of an invoice that is not void.
 * @throws Problem 422 `payment_failed` for one that was voided because its payment failed
 */
export function toOutcome(collected: CollectedInvoice): CollectedInvoice {
  const { invoice, failure } = collected;
  if (invoice.status !== 'void') return collected;
  // A repeat of the request finds only the void invoice.
  const details = {
    ...(failure ?? { reason: 'declined', declineCode: null }),
  } satisfies ProblemDetails['payment_failed'];
  throw unprocessable('payment_failed', 'The payment failed; the invoice is void.', details);
}

/** Whether an invoice waits for its payment, which was tried. */
export const isUnpaid = ({ invoice, failure }: CollectedInvoice): boolean =>
  invoice.status === 'open' && (failure !== null || invoice.attempted) && invoice.dueDate === null;
