import type { UnitOfWork } from '../api/unit-of-work.ts';
import { asItIs, hasEnded } from '../objects/subscription.ts';
import type { Invoice, Subscription } from '../objects/stored.ts';
import { cardFor, outcomeOf } from './payments.ts';
import { applyPendingChange, pendingChangeOf } from './pending-changes.ts';
import { collectInvoice, finalizeInvoice } from './invoicing.ts';
import { markUncollectible, voidInvoice } from './end-invoice.ts';

/** Finalizes and collects a draft of a subscription, unless its collection is paused. */
export function collectDraft(unit: UnitOfWork, subscription: Subscription, draft: Invoice, declined = false) {
  if (subscription.pause_collection) return shelveInvoice(unit, subscription, draft);
  const invoice = finalizeInvoice(unit, draft);
  // That may have turned its automatic tax off.
  return collectFor(unit, asItIs(unit, subscription), invoice, declined);
}

/**
 * Does with an invoice what the subscription's `pause_collection` says. The status stays as it is.
 * (Stripe: https://docs.stripe.com/billing/subscriptions/pause-payment)
 */
function shelveInvoice(unit: UnitOfWork, subscription: Subscription, draft: Invoice): Subscription {
  const behavior = subscription.pause_collection?.behavior;
  if (behavior === 'keep_as_draft') unit.update('invoice', draft, { auto_advance: false });
  else if (behavior === 'void') voidInvoice(unit, finalizeInvoice(unit, draft));
  else markUncollectible(unit, finalizeInvoice(unit, draft));
  return asItIs(unit, subscription);
}

/** Collects the invoices of a subscription again, whose `pause_collection` has ended. */
export function resumeCollection(unit: UnitOfWork, subscription: Subscription): Subscription {
  return unit.update('subscription', subscription, { pause_collection: null });
}

/**
 * Collects an invoice of a subscription, whose status becomes active if it is paid and past due if it is not. An invoice
 * that is sent to the customer waits.
 */
export function collectFor(
  unit: UnitOfWork,
  subscription: Subscription,
  invoice: Invoice,
  declined = false,
): Subscription {
  if (invoice.collection_method === 'send_invoice' && invoice.amount_due > 0) return subscription;
  const card = cardFor(unit, subscription);
  const result = collectInvoice(unit, invoice, card, declined || !card ? 'declines' : outcomeOf(unit, card));
  return updateStatusFrom(unit, subscription, result.invoice);
}

/** Collects an open invoice beside subscriptions, which does so by itself. */
export function collectAlone(unit: UnitOfWork, invoice: Invoice): void {
  const card = cardFor(unit, invoice);
  collectInvoice(unit, invoice, card, card ? outcomeOf(unit, card) : 'declines');
}

/**
 * Updates a subscription's status from its newest invoice; other invoices change nothing. That of a pending change applies the
 * change when it is paid, and else leaves the subscription as it is.
 */
export function updateStatusFrom(unit: UnitOfWork, before: Subscription, invoice: Invoice): Subscription {
  const pending = pendingChangeOf(unit, before);
  if (pending?.invoice === invoice.id && invoice.status !== 'paid') return before;
  const subscription = pending?.invoice === invoice.id ? applyPendingChange(unit, before, pending) : before;
  // Its invoice resumes it once it is paid (`endPause`).
  if (subscription.status === 'paused') return subscription;
  if (hasEnded(subscription) || subscription.latest_invoice !== invoice.id) return subscription;
  const keepsStatus = subscription.status === 'unpaid' || subscription.status === 'incomplete';
  const isInTrial = subscription.trial_end !== null && subscription.trial_end > unit.now;
  const paid = isInTrial ? 'trialing' : 'active';
  const status = invoice.status === 'paid' ? paid : keepsStatus ? subscription.status : 'past_due';
  return unit.update('subscription', subscription, { status });
}
