import { Problem } from '@billing/contracts/problem';
import type { ProblemDetails } from '@billing/contracts/problem-details';
import type { Processor } from '@billing/processor/port';
import { amountsOf, isDueNow } from '#domain/change-preview.ts';
import type { PreparedChange } from './prepare-change.ts';
import { isForLater, previewInvoice } from './preview-invoices.ts';

/** How old the amount may be that is expected of a change whose date is not pinned. */
const EXPECTED_FOR_MS = 15 * 60_000;

/**
 * Checks that a change costs what the caller expects, by a preview of the processor. A new period, whose date is not pinned, credits
 * less of the old one from second to second: it may cost more than expected, but not more than a preview of 15 minutes ago explains.
 * @throws Problem 409 `amount_changed`
 */
export async function requireAmount(processor: Processor, prepared: PreparedChange, expected: number): Promise<void> {
  const { exact, effectiveAt, change, reread } = prepared;
  const { currentPeriodStart, currentPeriodEnd } = reread.snapshot;
  const amountOf = async (previewed: PreparedChange) => {
    if (isForLater(previewed)) return 0;
    const invoice = await previewInvoice(processor, previewed);
    return amountsOf(invoice, isDueNow(previewed, invoice, currentPeriodEnd)).amountDue;
  };
  const actual = await amountOf(prepared);
  if (actual === expected || (!exact && actual < expected)) return;
  if (!exact && change.proration !== 'none') {
    const oldest = new Date(Math.max(effectiveAt.getTime() - EXPECTED_FOR_MS, currentPeriodStart.getTime()));
    if ((await amountOf({ ...prepared, change: { ...change, prorationDate: oldest } })) <= expected) return;
  }
  const details = { expected, actual } satisfies ProblemDetails['amount_changed'];
  const message = 'The change costs another amount than expected; preview it again and show the customer.';
  throw new Problem('conflict', 'amount_changed', message, { details });
}
