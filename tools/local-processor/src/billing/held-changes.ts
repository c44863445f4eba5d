import type { UnitOfWork } from '../api/unit-of-work.ts';
import { subscriptionOf } from '../objects/invoice.ts';
import type { HeldChange, Invoice, InvoiceItem, Subscription } from '../objects/stored.ts';
import { dropSpentDiscounts, removeDiscounts, storeDiscounts } from './discounts.ts';
import { voidInvoice } from './invoicing.ts';
import { recordDebits, recordProrations } from './prorations.ts';

/** Returns the change of a subscription that waits for its payment. */
export function heldChangeOf(unit: UnitOfWork, { id }: Subscription): HeldChange | undefined {
  return unit.tables.held_change.get(id);
}

/** Applies a held change whose invoice is paid, and emits its events. Returns the changed subscription. */
export function applyHeldChange(unit: UnitOfWork, before: Subscription, held: HeldChange): Subscription {
  unit.tables.held_change.remove(held.id);
  const metadata = { ...before.metadata, ...held.metadata };
  const changes = { ...held.changes, metadata, pending_update: null };
  storeDiscounts(unit, held.discounts);
  removeDiscounts(unit, before.discounts, changes.discounts ?? before.discounts);
  const after = unit.update('subscription', before, changes, 'customer.subscription.updated');
  recordProrations(unit, after, rowsOf(unit, held.items));
  const invoice = unit.tables.invoice.get(held.invoice);
  if (invoice && held.isNewPeriod) recordDebits(unit, invoice);
  unit.emit('customer.subscription.pending_update_applied', after);
  return invoice ? dropSpentDiscounts(unit, after, invoice) : after;
}

/**
 * Drops the change of a subscription that waits for its payment, and voids the invoice. What waited on that for earlier
 * changes waits again. Returns the subscription.
 * (Stripe: https://docs.stripe.com/billing/subscriptions/pending-updates-reference)
 */
export function dropHeldChange(unit: UnitOfWork, subscription: Subscription): Subscription {
  const held = heldChangeOf(unit, subscription);
  if (!held) return subscription;
  unit.tables.held_change.remove(held.id);
  const invoice = unit.tables.invoice.get(held.invoice);
  if (invoice?.status === 'open' || invoice?.status === 'uncollectible') voidInvoice(unit, invoice);
  for (const item of rowsOf(unit, held.waiting)) unit.update('invoiceitem', item, { invoice: null });
  return unit.update('subscription', subscription, { pending_update: null }, 'customer.subscription.updated');
}

/** Drops a held change whose time to pay is over, and emits its event. */
export function expireHeldChange(unit: UnitOfWork, subscription: Subscription): Subscription {
  const after = dropHeldChange(unit, subscription);
  unit.emit('customer.subscription.pending_update_expired', after);
  return after;
}

/** Drops the held change of an invoice that was voided. Returns the invoice. */
export function dropChangeOf(unit: UnitOfWork, invoice: Invoice): Invoice {
  const subscription = unit.tables.subscription.get(subscriptionOf(invoice) ?? '');
  if (subscription && heldChangeOf(unit, subscription)?.invoice === invoice.id) dropHeldChange(unit, subscription);
  return invoice;
}

function rowsOf(unit: UnitOfWork, ids: readonly string[]): InvoiceItem[] {
  return ids.flatMap(id => unit.tables.invoiceitem.get(id) ?? []);
}
