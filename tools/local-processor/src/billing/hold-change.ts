import type { UnitOfWork } from '../api/unit-of-work.ts';
import type { Subscription } from '../objects/stored.ts';
import { asItIs, currentPeriod } from '../objects/subscription.ts';
import { cardFor, outcomeOf } from './payments.ts';
import { draftChange } from './draft-change.ts';
import { collectInvoice, finalizeInvoice } from './invoicing.ts';
import type { ChangePlan } from './plan-change.ts';
import { pendingItems } from './prorations.ts';

/** How long a change waits for its payment at most. */
const PENDING_SECONDS = 23 * 3600;

/**
 * Holds a change back whose payment fails: its invoice stays open, and the subscription is as before until it is paid.
 * (Stripe: https://docs.stripe.com/billing/subscriptions/pending-updates)
 */
export function holdChange(unit: UnitOfWork, before: Subscription, plan: ChangePlan): Subscription {
  const waiting = pendingItems(unit, before).map(({ id }) => id);
  const draft = draftChange(unit, before, plan);
  const { latest_invoice: latest, metadata: _metadata, ...changes } = changedFields(before, plan.after);
  unit.tables.pending_change.put({
    id: before.id,
    invoice: draft.id,
    changes,
    metadata: newKeys(before, plan.after),
    isNewPeriod: plan.isNewPeriod,
    discounts: plan.discounts,
    items: plan.items.map(({ id }) => id),
    waiting,
  });
  const pending_update = shownChange(unit, before, plan);
  const shown = { latest_invoice: latest ?? draft.id, pending_update };
  unit.update('subscription', before, shown);
  const card = cardFor(unit, before);
  collectInvoice(unit, finalizeInvoice(unit, draft), card, card ? outcomeOf(unit, card) : 'declines');
  return asItIs(unit, before);
}

/** Returns a pending change as the API shows it. It waits until the period or the trial ends, and at most 23 hours. */
function shownChange(
  unit: UnitOfWork,
  before: Subscription,
  { after, isNewPeriod }: ChangePlan,
): NonNullable<Subscription['pending_update']> {
  const metadata = newKeys(before, after);
  const endsWithPeriod = after.cancel_at_period_end === before.cancel_at_period_end ? null : after.cancel_at_period_end;
  return {
    billing_cycle_anchor: isNewPeriod ? after.billing_cycle_anchor : null,
    cancel_at_period_end: endsWithPeriod,
    discount: null,
    discounts: before.discounts.join() === after.discounts.join() ? null : after.discounts,
    expires_at: Math.min(unit.now + PENDING_SECONDS, currentPeriod(before).end),
    metadata: Object.keys(metadata).length === 0 ? null : metadata,
    subscription_items: after.items.data,
    trial_end: after.trial_end === before.trial_end ? null : after.trial_end,
    trial_from_plan: null,
  };
}

function changedFields(before: Subscription, after: Subscription): Partial<Subscription> {
  const was = new Map(Object.entries(before));
  const changed = Object.entries(after).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(was.get(name)),
  );
  return Object.fromEntries(changed);
}

function newKeys(before: Subscription, after: Subscription): Record<string, string> {
  return Object.fromEntries(Object.entries(after.metadata).filter(([key, value]) => before.metadata[key] !== value));
}
