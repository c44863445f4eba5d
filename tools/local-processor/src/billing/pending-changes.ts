import type { UnitOfWork } from '../api/unit-of-work.ts';
import { subscriptionOf } from '../objects/invoice.ts';
import type { PendingChange, Invoice, InvoiceItem, Subscription } from '../objects/stored.ts';
import { dropSpentDiscounts, removeDiscounts, storeDiscounts } from './discounts.ts';
import { voidInvoice } from './end-invoice.ts';
import { recordDebits, recordProrations } from './prorations.ts';

/** Returns the change of a subscription that waits for its payment. */
export function pendingChangeOf(unit: UnitOfWork, { id }: Subscription): PendingChange | undefined {
  return unit.tables.pending_change.get(id);
}

/** Applies a pending change whose invoice is paid, and emits its events. Returns the changed subscription. */
export function applyPendingChange(unit: UnitOfWork, before: Subscription, pending: PendingChange): Subscription {
  unit.tables.pending_change.remove(pending.id);
  const metadata = { ...before.metadata, ...pending.metadata };
  const changes = { ...pending.changes, metadata, pending_update: null };
  storeDiscounts(unit, pending.discounts);
  removeDiscounts(unit, before.discounts, changes.discounts ?? before.discounts);
  const after = unit.update('subscription', before, changes);
  recordProrations(unit, after, rowsOf(unit, pending.items));
  const invoice = unit.tables.invoice.get(pending.invoice);
  if (invoice && pending.isNewPeriod) recordDebits(unit, invoice);
  unit.emit('customer.subscription.pending_update_applied', after);
  return invoice ? dropSpentDiscounts(unit, after, invoice) : after;
}

/**
 * Drops the change of a subscription that waits for its payment, and voids the invoice. What waited on that for earlier
 * changes waits again. Returns the subscription.
 * (Stripe: https://docs.stripe.com/billing/subscriptions/pending-updates-reference)
 */
export function dropPendingChange(unit: UnitOfWork, subscription: Subscription): Subscription {
  const pending = pendingChangeOf(unit, subscription);
  if (!pending) return subscription;
  unit.tables.pending_change.remove(pending.id);
  const invoice = unit.tables.invoice.get(pending.invoice);
  if (invoice?.status === 'open' || invoice?.status === 'uncollectible') voidInvoice(unit, invoice);
  for (const item of rowsOf(unit, pending.waiting)) unit.update('invoiceitem', item, { invoice: null });
  return unit.update('subscription', subscription, { pending_update: null });
}

/** Drops a pending change whose time to pay is over, and emits its event. */
export function expirePendingChange(unit: UnitOfWork, subscription: Subscription): Subscription {
  const after = dropPendingChange(unit, subscription);
  unit.emit('customer.subscription.pending_update_expired', after);
  return after;
}

/** Drops the pending change of an invoice that was voided. Returns the invoice. */
export function dropChangeOf(unit: UnitOfWork, invoice: Invoice): Invoice {
  const subscription = unit.tables.subscription.get(subscriptionOf(invoice) ?? '');
  if (subscription && pendingChangeOf(unit, subscription)?.invoice === invoice.id)
    dropPendingChange(unit, subscription);
  return invoice;
}

function rowsOf(unit: UnitOfWork, ids: readonly string[]): InvoiceItem[] {
  return ids.flatMap(id => unit.tables.invoiceitem.get(id) ?? []);
}
