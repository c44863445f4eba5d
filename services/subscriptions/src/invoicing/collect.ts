import type { OnFailure } from '@billing/contracts/resources/invoice-create';
import { isRefused, paymentFailureOf, type PaymentFailure } from '@billing/processor/errors';
import type { Processor } from '@billing/processor/port';
import type { InvoiceSnapshot } from '@billing/processor/snapshots/invoice';
import { voidIfOpen } from '#money/void-if-open';

/** An invoice as the processor has it, and why it could not be charged; null when it was, or is sent. */
export interface Collected {
  readonly snapshot: InvoiceSnapshot;
  readonly failure: PaymentFailure | null;
}

/** How an invoice is collected, under keys that begin with one. */
interface Collection {
  /** What becomes of it when that fails. */
  readonly onFailure: OnFailure;
  readonly idempotencyKey: string;
}

/** Whether an invoice is sent to the customer, and not charged. */
export const isSent = ({ dueDate }: Pick<InvoiceSnapshot, 'dueDate'>): boolean => dueDate !== null;

/**
 * Makes a draft final; with nothing due it is paid then. Only what is charged and kept open when that fails goes on being
 * collected by the processor: of what is sent, that would mail it a second time.
 * https://docs.stripe.com/invoicing/integration/automatic-advancement-collection
 * @throws ProcessorError after a refusal, which leaves the draft
 */
export const finalize = (
  processor: Pick<Processor, 'finalizeInvoice'>,
  draft: InvoiceSnapshot,
  { onFailure, idempotencyKey }: Collection,
): Promise<InvoiceSnapshot> =>
  processor.finalizeInvoice(draft.id, onFailure === 'keep' && !isSent(draft), `${idempotencyKey}:finalize`);

/**
 * Charges an open invoice to the saved payment method, or has it mailed. When the payment fails, it is voided or stays open; what
 * the customer pays meanwhile on its page is paid. One that is not open stays as it is.
 * @throws ProcessorError after another refusal; nothing that can be voided is left open then
 */
export async function collect(
  processor: Pick<Processor, 'payInvoice' | 'sendInvoice' | 'findInvoice' | 'voidInvoice'>,
  invoice: InvoiceSnapshot,
  { onFailure, idempotencyKey }: Collection,
): Promise<Collected> {
  const { id, status } = invoice;
  if (status !== 'open') return { snapshot: invoice, failure: null };
  try {
    const snapshot = isSent(invoice)
      ? await processor.sendInvoice(id, `${idempotencyKey}:send`)
      : await processor.payInvoice(id, `${idempotencyKey}:pay`);
    return { snapshot, failure: null };
  } catch (err) {
    if (!isRefused(err)) throw err;
    if (onFailure === 'void') await voidIfOpen(processor, id, `${idempotencyKey}:void`);
    const snapshot = await processor.findInvoice(id);
    if (snapshot.status === 'paid') return { snapshot, failure: null };
    const failure = paymentFailureOf(err);
    if (failure || (onFailure === 'keep' && !isSent(invoice))) return { snapshot, failure };
    throw err;
  }
}
