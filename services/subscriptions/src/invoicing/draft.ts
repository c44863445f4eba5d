import { Problem } from '@billing/contracts/problem';
import type { ProblemDetails } from '@billing/contracts/problem-details';
import { isRefused } from '@billing/processor/errors';
import type { NewInvoice } from '@billing/processor/invoicing';
import type { Processor } from '@billing/processor/port';
import type { InvoiceSnapshot } from '@billing/processor/snapshots/invoice';
import { dueOf, requireNotNegative } from './preview-invoice.ts';
import type { ResolvedInvoice } from './resolve-invoice.ts';

interface WantedDraft {
  readonly invoice: NewInvoice;
  readonly lines: ResolvedInvoice['lines'];
  readonly expectedAmountDue: number | undefined;
}

/**
 * Makes a draft with its lines, under keys of its own: sent again, it is the same draft. One that is refused, or comes to another
 * amount than the caller expects, is deleted.
 * @throws Problem 409 `amount_changed`; 422 `total_negative`; ProcessorError after a refusal
 */
export async function makeDraft(
  processor: Pick<Processor, 'createInvoice' | 'addInvoiceLines' | 'deleteDraft'>,
  { invoice, lines, expectedAmountDue }: WantedDraft,
  idempotencyKey: string,
): Promise<InvoiceSnapshot> {
  const { currency } = invoice;
  const empty = await processor.createInvoice(invoice, `${idempotencyKey}:create`);
  return orDelete(processor, empty.id, async () => {
    const draft = await processor.addInvoiceLines(empty.id, { currency, lines }, `${idempotencyKey}:lines`);
    requireNotNegative(draft.total);
    requireExpected(dueOf(draft), expectedAmountDue);
    return draft;
  });
}

/** Does something with a draft, and deletes it when the processor or we refuse that. What has no outcome yet is sent again. */
export async function orDelete<Result>(
  processor: Pick<Processor, 'deleteDraft'>,
  id: string,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (err) {
    const isOurRefusal = err instanceof Problem && (err.kind === 'unprocessable' || err.kind === 'conflict');
    if (isOurRefusal || isRefused(err)) await processor.deleteDraft(id);
    throw err;
  }
}

/**
 * Checks that an invoice comes to what the caller expects.
 * @throws Problem 409 `amount_changed`
 */
export function requireExpected(actual: number, expected: number | undefined): void {
  if (expected === undefined || actual === expected) return;
  const details = { expected, actual } satisfies ProblemDetails['amount_changed'];
  const message = 'The invoice comes to another amount than expected; preview it again.';
  throw new Problem('conflict', 'amount_changed', message, { details });
}
