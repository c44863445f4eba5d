import type { UnitOfWork } from '../api/unit-of-work.ts';
import { customerOrNull, inItsTime } from '../objects/finding.ts';
import { subscriptionOf } from '../objects/invoice.ts';
import { attach, newPaymentMethod, nextTestCard } from '../objects/payment-method.ts';
import type { Invoice, PaymentMethod } from '../objects/stored.ts';
import { updateStatusFrom } from './collection.ts';
import { collectInvoice, openPayment } from './invoicing.ts';
import type { Attempt, CardOutcome } from './payments.ts';
import { endPause } from './resume-subscription.ts';

/** Returns whether an invoice can still be paid. (Stripe: https://docs.stripe.com/invoicing/overview#invoice-statuses) */
export const isPayable = ({ status, amount_remaining: left }: Invoice): boolean =>
  left > 0 && (status === 'open' || status === 'uncollectible');

/** Tries to pay an invoice with a card; its subscription follows. */
export function payInvoice(
  unit: UnitOfWork,
  invoice: Invoice,
  card: PaymentMethod,
  outcome: CardOutcome,
): { invoice: Invoice; attempt: Attempt | null } {
  const result = collectInvoice(unit, invoice, card, outcome, 'hand');
  settle(unit, result.invoice);
  return result;
}

/** Updates the subscription of an invoice after an attempt to pay it. */
export function settle(unit: UnitOfWork, invoice: Invoice): Invoice {
  const subscription = unit.tables.subscription.get(subscriptionOf(invoice) ?? '');
  if (subscription) updateStatusFrom(unit, subscription, invoice);
  endPause(unit, invoice);
  return invoice;
}

/** Returns the card of an invoice whose bank waits for the customer to confirm the payment; null without one. */
export function cardToConfirm(unit: UnitOfWork, invoice: Invoice): PaymentMethod | null {
  const intent = unit.tables.payment_intent.get(openPayment(unit, invoice.id)?.payment.payment_intent ?? '');
  if (!isPayable(invoice) || intent?.status !== 'requires_action') return null;
  return unit.tables.payment_method.get(String(intent.payment_method)) ?? null;
}

/**
 * Pays an invoice on its hosted page with the customer's next test card, which the customer keeps, or has it declined.
 * `confirm` is what the customer does whose bank waits for that. An invoice that can't be paid stays as it is.
 */
export function payOnPage(unit: UnitOfWork, given: Invoice, outcome: 'pay' | 'decline' | 'confirm'): Invoice {
  const invoice = inItsTime(unit, given);
  if (!isPayable(invoice)) return invoice;
  if (outcome === 'confirm') {
    const waiting = cardToConfirm(unit, invoice);
    return waiting ? payInvoice(unit, invoice, waiting, 'pays').invoice : invoice;
  }
  const customer = customerOrNull(unit, invoice.customer);
  const card = newPaymentMethod(unit, nextTestCard(unit, invoice.customer), customer);
  if (outcome === 'decline') return payInvoice(unit, invoice, card, 'declines').invoice;
  const created = unit.create('payment_method', card);
  return payInvoice(unit, invoice, customer ? attach(unit, created, customer) : created, 'pays').invoice;
}
