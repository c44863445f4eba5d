import type { Stripe } from 'stripe';
import { ProcessorError } from '../errors.ts';
import type { NewPhase, PlanChange, PlanChanges, WantedDiscount } from '../plan-changes.ts';
import type { Processor } from '../port.ts';
import { readInvoicePreview } from '../snapshots/invoice-preview.ts';
import { readSchedule, type PhaseDiscount } from '../snapshots/schedule.ts';
import { given, inSeconds, write, type Calls } from './calls.ts';
import { wholeInvoices, WITH_PAYMENTS } from './invoices.ts';
import type { DiscountReads } from './missing-discounts.ts';
import { pendingPaymentCalls } from './pending-payment.ts';
import { phaseOf } from './phase-of-subscription.ts';
import { completeLists, wholePreview, WHOLE_SUBSCRIPTION } from './nested-lists.ts';
import { wholeSubscriptions } from './whole-subscriptions.ts';

/** Changes of plans; `reads` finds the amounts and discounts that Stripe's subscriptions lack. */
export function planChangeCalls(
  calls: Calls,
  reads: Pick<Processor, 'findPrice'> & DiscountReads,
): PlanChanges & Pick<Processor, 'previewCancellation' | 'previewResumption'> {
  const { stripe, call } = calls;
  const pendingPayments = pendingPaymentCalls(calls);
  const invoiceFrom = wholeInvoices(calls);
  const findSchedule = (id: string) => call(async () => readSchedule(await stripe.subscriptionSchedules.retrieve(id)));
  const subscriptionFrom = wholeSubscriptions(calls, { ...reads, findSchedule, ...pendingPayments });
  const update = (id: string, params: Stripe.SubscriptionUpdateParams, key: string) =>
    subscriptionFrom(() => stripe.subscriptions.update(id, { ...params, ...WHOLE_SUBSCRIPTION }, write(key)));
  const preview = (params: Stripe.InvoiceCreatePreviewParams) =>
    call(async () => readInvoicePreview(await wholePreview(stripe, await stripe.invoices.createPreview(params)))).catch(
      nullIfNone,
    );

  return {
    previewInvoice: (subscription, change, mode = 'next') => {
      const params = change && { subscription_details: detailsOf(change), ...discountsOf(change.discounts) };
      return preview({ subscription, preview_mode: mode, ...params });
    },
    previewCancellation: (subscription, prorates) => {
      const proration_behavior = prorates ? 'always_invoice' : 'none';
      return preview({ subscription, subscription_details: { cancel_now: true, proration_behavior } });
    },
    previewResumption: (subscription, restarts) =>
      preview({ subscription, subscription_details: { resume_at: 'now', ...resumptionOf(restarts) } }),
    previewSchedule: (schedule, phases, { proration = 'none', mode = 'next' } = {}) => {
      const details = { ...scheduleParams(phases), proration_behavior: proration };
      return preview({ schedule, preview_mode: mode, schedule_details: details });
    },
    changeSubscription: (id, change, key) => {
      const { metadata, paymentBehavior, discounts } = change;
      const params = {
        ...detailsOf(change),
        ...discountsOf(discounts),
        ...given({ metadata: metadata && { ...metadata } }),
      };
      return update(id, { ...params, payment_behavior: paymentBehavior }, key);
    },
    setDiscounts: (id, discounts, key) => update(id, discountsOf(discounts), key),
    ...pendingPayments,
    payInvoice: (id, key) =>
      invoiceFrom(() => stripe.invoices.pay(id, { ...WITH_PAYMENTS, off_session: true }, write(key))),

    createSchedule: (subscription, key) =>
      call(async () =>
        readSchedule(await stripe.subscriptionSchedules.create({ from_subscription: subscription }, write(key))),
      ),
    findSchedule,
    findAsPhase: id => call(async () => phaseOf(await completeLists(stripe, await stripe.subscriptions.retrieve(id)))),
    setPhases: (id, phases, metadata, key) =>
      call(async () => {
        const params = { ...scheduleParams(phases), metadata: { ...metadata } };
        return readSchedule(await stripe.subscriptionSchedules.update(id, params, write(key)));
      }),
    releaseSchedule: (id, key) =>
      call(async () => readSchedule(await stripe.subscriptionSchedules.release(id, {}, write(key)))),
  };
}

/** Returns how a subscription goes on in the parameters that a resumption and a preview share. A new period prorates nothing. */
export const resumptionOf = (restarts: boolean) =>
  restarts
    ? { billing_cycle_anchor: { type: 'now' as const } }
    : { billing_cycle_anchor: { type: 'unchanged' as const }, proration_behavior: 'always_invoice' as const };

/** Returns a change in the parameters that an update and a preview share. */
function detailsOf(change: PlanChange) {
  const { items, removedItemIds = [], proration, prorationDate, resetsAnchor, endsTrial } = change;
  const changed = (items ?? []).map(({ id, priceId: price, quantity }) => given({ id, price, quantity }));
  const removed = removedItemIds.map(id => ({ id, deleted: true }));
  return {
    ...(changed.length + removed.length > 0 && { items: [...changed, ...removed] }),
    proration_behavior: proration,
    ...given({ proration_date: prorationDate && inSeconds(prorationDate) }),
    ...(resetsAnchor && { billing_cycle_anchor: { type: 'now' as const } }),
    ...(endsTrial && { trial_end: 'now' as const }),
  };
}

function discountsOf(discounts: readonly WantedDiscount[] | undefined) {
  if (!discounts) return {};
  return { discounts: discounts.length === 0 ? ('' as const) : discounts.map(discountParams) };
}

function discountParams(wanted: WantedDiscount) {
  if ('discountId' in wanted) return { discount: wanted.discountId };
  return 'couponId' in wanted ? { coupon: wanted.couponId } : { promotion_code: wanted.promotionCodeId };
}

function scheduleParams(phases: readonly NewPhase[]) {
  return { end_behavior: 'release', proration_behavior: 'none', phases: phases.map(phaseParams) } as const;
}

function phaseParams(phase: NewPhase): Stripe.SubscriptionScheduleUpdateParams.Phase {
  const { items, discounts, metadata, proration, startsAt, endsAt, trialEnd, settings } = phase;
  return {
    ...settings,
    items: items.map(({ priceId, quantity, settings: ofItem }) => ({
      ...ofItem,
      price: priceId,
      ...given({ quantity: quantity ?? undefined }),
    })),
    // Without a list the phase has the discount of the customer, as a subscription without discounts has.
    ...(discounts.length > 0 && { discounts: discounts.map(phaseDiscountParams) }),
    metadata: { ...metadata },
    proration_behavior: proration,
    ...given({
      start_date: startsAt && inSeconds(startsAt),
      end_date: endsAt && inSeconds(endsAt),
      trial_end: trialEnd && inSeconds(trialEnd),
    }),
  };
}

/** An existing discount keeps its end; what it is made of would begin anew. */
function phaseDiscountParams({ discountId, couponId, promotionCodeId }: PhaseDiscount) {
  if (discountId !== null) return { discount: discountId };
  return promotionCodeId === null ? { coupon: couponId ?? '' } : { promotion_code: promotionCodeId };
}

function nullIfNone(error: unknown): null {
  if (error instanceof ProcessorError && error.processorCode === 'invoice_upcoming_none') return null;
  throw error;
}
