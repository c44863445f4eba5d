import type { ProjectScope } from '@billing/contracts/ids';
import { Problem } from '@billing/contracts/problem';
import type { ProblemDetails } from '@billing/contracts/problem-details';
import type { PlanChangePreview } from '@billing/contracts/resources/plan-change';
import { isRefused, isRefusedPromotionCode } from '@billing/processor/errors';
import type { Processor } from '@billing/processor/port';
import type { InvoicePreview } from '@billing/processor/snapshots/invoice-preview';
import type { ScheduleSnapshot } from '@billing/processor/snapshots/schedule';
import { findKnownPriceIds } from '#copies/find-catalog-ids';
import { problemOfRedemption } from '#copies/resolve-promotion-code';
import { timeOf } from '#copies/test-clocks';
import { followedPlan, isOurs, periodOf, plannedCodes, plannedPhases, redeemedCodes } from '#record/schedule.rules';
import type { SubscriptionKey } from '#record/subscription-rows';
import { entitlementsOf } from '#state/customer-state.rules';
import { findCustomerRecords } from '#state/find-customer-records';
import type { Dependencies } from '../dependencies.ts';
import { redeemedBy, toPhaseDiscount } from './follow-subscription.ts';
import { prepareChange, type PreparedChange, type WantedChange } from './prepare.ts';
import { amountsOf, creditLost, entitlementChanges, isDueNow, isForLater, linesOf } from './preview.rules.ts';

/** How old the amount may be that is expected of a change whose date is not pinned. */
const EXPECTED_FOR_MS = 15 * 60_000;

/**
 * Previews a change of plan: what the processor says it costs, and what the customer may use afterwards. Changes nothing.
 * @throws Problem what `prepareChange` throws; 422 `promotion_code_not_applicable`; `processor_error` after a refusal
 */
export function previewChange(dependencies: Pick<Dependencies, 'em' | 'rpc' | 'processors' | 'now'>) {
  const { em, processors, now } = dependencies;
  const prepare = prepareChange(dependencies);

  return async (scope: ProjectScope, key: SubscriptionKey, request: WantedChange): Promise<PlanChangePreview> => {
    const prepared = await prepare(scope, key, request);
    const processor = await processors.of(scope.teamId);
    const [{ invoice, isDue, next }, changes] = await Promise.all([
      previewInvoices(processor, prepared).catch(async (err: unknown) => {
        // What refused it may be known by now: the subscription may have ended meanwhile.
        if (isRefused(err)) await prepare(scope, key, request);
        throw err;
      }),
      findEntitlementChanges(scope, prepared),
    ]);
    const billed = (invoice?.lines ?? []).flatMap(({ priceId }) => priceId ?? []);
    const { direction, effectiveAt, exact, prorationDate, expiresAt, reread, subscription } = prepared;
    return {
      direction,
      effectiveAt,
      currency: reread.snapshot.currency ?? invoice?.currency ?? subscription.items[0]?.currency ?? '',
      ...amountsOf(invoice, isDue),
      lines: linesOf(invoice, await findKnownPriceIds(em.fork(), scope, billed), prepared),
      nextInvoice: next,
      prorationDate,
      exact,
      expiresAt,
      entitlementChanges: changes,
    };
  };

  /** Finds what the customer gains and loses, by the same rules as the state of the customer. */
  async function findEntitlementChanges(scope: ProjectScope, { subscription, items }: PreparedChange) {
    const { id, customerId } = subscription;
    const priceIds = items.flatMap(({ priceId }) => priceId ?? []);
    const [found] = await findCustomerRecords(em.fork(), [{ scope, id: customerId }], priceIds);
    if (!found) return [];
    const { customer, records } = found;
    const changed = records.subscriptions.map(one => (one.id === id ? { ...one, items } : one));
    const at = timeOf(customer, now);
    return entitlementChanges(entitlementsOf(records, at), entitlementsOf({ ...records, subscriptions: changed }, at));
  }
}

/**
 * Checks that a change costs what the caller expects, by a preview of the processor. A new period, whose date is not pinned, credits
 * less of the old one from second to second: it may cost more than expected, but not more than a preview of 15 minutes ago explains.
 * @throws Problem 409 `amount_changed`
 */
export async function requireAmount(processor: Processor, prepared: PreparedChange, expected: number): Promise<void> {
  const { exact, reread } = prepared;
  const { currentPeriodStart, currentPeriodEnd } = reread.snapshot;
  const invoice = isForLater(prepared) ? null : await previewInvoice(processor, prepared);
  const actual = amountsOf(invoice, isDueNow(prepared, invoice, currentPeriodEnd)).amountDue;
  const explained = exact || !invoice ? 0 : creditLost(invoice, { forMs: EXPECTED_FOR_MS, since: currentPeriodStart });
  if (actual === expected || (!exact && actual <= expected + explained)) return;
  const details = { expected, actual } satisfies ProblemDetails['amount_changed'];
  const message = 'The change costs another amount than expected; preview it again and show the customer.';
  throw new Problem('conflict', 'amount_changed', message, { details });
}

/** Previews the invoice that a change makes now, else the next one; null when there will be none. */
async function previewInvoice(
  processor: Processor,
  { subscription, change, lastingDiscounts }: PreparedChange,
): Promise<InvoicePreview | null> {
  // Without its own discounts a subscription is billed with that of its customer, but a preview without any has none.
  const previewed = change.discounts?.length === 0 ? { ...change, discounts: lastingDiscounts } : change;
  try {
    return await processor.previewInvoice(subscription.processorSubscriptionId, previewed);
  } catch (err) {
    throw problemOfRedemption(err);
  }
}

/** The invoices of a change, as the processor previews them. */
interface PreviewedInvoices {
  /** That of the change, else the next one; null when there will be none. */
  readonly invoice: InvoicePreview | null;
  /** Whether the change makes it. */
  readonly isDue: boolean;
  readonly next: PlanChangePreview['nextInvoice'];
}

/** Previews the invoice of a change, and the next one after it. */
async function previewInvoices(processor: Processor, prepared: PreparedChange): Promise<PreviewedInvoices> {
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
