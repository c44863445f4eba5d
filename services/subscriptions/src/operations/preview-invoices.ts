import type { PlanChangePreview } from '@billing/contracts/resources/plan-change';
import { isRefusedPromotionCode } from '@billing/processor/errors';
import type { Processor } from '@billing/processor/port';
import type { InvoicePreview } from '@billing/processor/snapshots/invoice-preview';
import type { ScheduleSnapshot } from '@billing/processor/snapshots/schedule';
import { isDueNow } from '#domain/change-preview.ts';
import { followedPlan, isOurs, periodOf, plannedCodes, plannedPhases, redeemedCodes } from '#domain/schedule.ts';
import type { PreparedChange } from './prepare-change.ts';
import { problemOfRedemption } from './resolve-promotion-code.ts';
import { redeemedBy, toPhaseDiscount } from './schedule-change.ts';

/** The invoices of a change, as the processor previews them. */
interface PreviewedInvoices {
  /** That of the change, else the next one; null when there will be none. */
  readonly invoice: InvoicePreview | null;
  /** Whether the change makes it. */
  readonly isDue: boolean;
  readonly next: PlanChangePreview['nextInvoice'];
}

/**
 * Previews the invoice that a prepared change makes now, else the next one; null when there will be none.
 * @throws Problem 422 `promotion_code_not_applicable`; `processor_error`
 */
export async function previewInvoice(
  processor: Processor,
  { subscription, change }: PreparedChange,
): Promise<InvoicePreview | null> {
  try {
    return await processor.previewInvoice(subscription.processorSubscriptionId, change);
  } catch (err) {
    throw problemOfRedemption(err);
  }
}

/**
 * Previews the invoice of a prepared change, and the next one after it.
 * @throws Problem what `previewInvoice` throws
 */
export async function previewInvoices(processor: Processor, prepared: PreparedChange): Promise<PreviewedInvoices> {
  const { change, when, effectiveAt, lastingDiscounts: discounts, reread } = prepared;
  const { id, schedule, cancelAt, currentPeriodEnd } = reread.snapshot;
  const planned = schedule && isOurs(schedule) ? schedule : null;
  const first = planned && isForLater(prepared) ? null : await previewInvoice(processor, prepared);
  const isDue = isDueNow(prepared, first, currentPeriodEnd);
  // With a schedule that is only read when the next invoice of a period is made that the change begins.
  const isRead = isDue && (planned === null || change.resetsAnchor || change.endsTrial);
  const previewed = isRead ? await processor.previewInvoice(id, { ...change, discounts }, 'recurring') : null;
  const recurring = isDue ? previewed : first;
  // What is scheduled already is kept or replaced by the change: the processor previews it as it is.
  const following = planned ? await previewPhases(processor, planned, { prepared, isDue }) : recurring;
  const invoice = isDue ? first : following;
  // At the end of the period the change makes the next invoice, whatever the processor previews as if it were made now.
  const at = when === 'now' ? (recurring ?? following)?.at : effectiveAt;
  const isLast = at && cancelAt && cancelAt <= at;
  return { invoice, isDue, next: following && at && !isLast ? { at, total: following.total } : null };
}

/**
 * Returns whether a change surely makes no invoice now. The schedule as it stands may name discounts that the change removes, so that
 * it cannot be previewed without the phases that follow.
 */
export function isForLater({ when, change }: PreparedChange): boolean {
  const { proration, resetsAnchor, endsTrial, discounts } = change;
  const removesDiscounts = discounts?.length === 0 && proration !== 'always_invoice' && !resetsAnchor && !endsTrial;
  return when === 'period_end' || removesDiscounts;
}

/** Previews the next invoice of a subscription with a schedule of ours, as the schedule is after a change. */
async function previewPhases(
  processor: Processor,
  schedule: ScheduleSnapshot,
  { prepared, isDue }: { readonly prepared: PreparedChange; readonly isDue: boolean },
): Promise<InvoicePreview | null> {
  const { when, change, items, phaseItems, lastingDiscounts, reread } = prepared;
  const { id, currentPeriodStart } = reread.snapshot;
  const current = await processor.findAsPhase(id);
  const discounts = (isDue ? lastingDiscounts : change.discounts)?.map(toPhaseDiscount) ?? current.discounts;
  const waits = when === 'now' && !isDue;
  const proration = waits ? change.proration : 'none';
  const previewWithout = (codes: readonly string[]) => {
    const redeemed = [...redeemedCodes(reread.snapshot), ...redeemedBy(change), ...codes];
    const kept = when === 'now' ? followedPlan(schedule, { currentPeriodStart, items, discounts, redeemed }) : null;
    const phases = plannedPhases(
      waits ? { ...current, items: phaseItems, discounts } : current,
      periodOf(reread.snapshot, schedule),
      kept ?? { items: phaseItems, discounts },
    );
    return processor.previewSchedule(schedule.id, phases, { mode: isDue ? 'recurring' : 'next', proration });
  };
  try {
    return await previewWithout([]).catch((err: unknown) => {
      const codes = plannedCodes(schedule);
      // The change keeps what is planned, but for a code that can't be redeemed any more.
      if (when === 'now' && codes.length > 0 && isRefusedPromotionCode(err)) return previewWithout(codes);
      throw err;
    });
  } catch (err) {
    throw problemOfRedemption(err);
  }
}
