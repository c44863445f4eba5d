import type { UnitOfWork } from '../api/unit-of-work.ts';
import { customerOrNull } from '../objects/finding.ts';
import type { Invoice } from '../objects/stored.ts';
import { changeBalance } from './balance.ts';
import { markPaid, openPayment } from './invoicing.ts';
import { cancelIntent } from './payments.ts';

/** Gives up an open invoice. It can still be paid. */
export function markUncollectible(unit: UnitOfWork, invoice: Invoice): Invoice {
  const marked = stopCollecting(unit, invoice, 'uncollectible', { marked_uncollectible_at: unit.now });
  unit.emit('invoice.marked_uncollectible', marked);
  return marked;
}

/**
 * Voids an open or uncollectible invoice, which is final; the customer gets the balance back that it has used.
 * (Stripe: https://docs.stripe.com/changelog/2019-12-03/customer-balances-returned-voided-invoices)
 */
export function voidInvoice(unit: UnitOfWork, invoice: Invoice): Invoice {
  cancelPayment(unit, invoice);
  returnBalance(unit, invoice);
  const voided = stopCollecting(unit, invoice, 'void', { voided_at: unit.now });
  unit.emit('invoice.voided', voided);
  return voided;
}

/** Marks an invoice as paid elsewhere: nothing is charged for it any more. */
export function markPaidElsewhere(unit: UnitOfWork, invoice: Invoice): Invoice {
  cancelPayment(unit, invoice);
  return markPaid(unit, invoice, null);
}

function cancelPayment(unit: UnitOfWork, { id }: Invoice): void {
  const payment = openPayment(unit, id);
  if (!payment) return;
  const status_transitions = { canceled_at: unit.now, paid_at: null };
  unit.update('invoice_payment', payment, { status: 'canceled', status_transitions });
  cancelIntent(unit, payment.payment.payment_intent);
}

function returnBalance(unit: UnitOfWork, { id, customer: customerId, currency, ...invoice }: Invoice): void {
  const amount = invoice.starting_balance - (invoice.ending_balance ?? invoice.starting_balance);
  const customer = customerOrNull(unit, customerId);
  if (amount === 0 || !customer) return;
  const details = { description: null, metadata: {}, invoice: id };
  changeBalance(unit, customer, { amount, currency, type: 'unapplied_from_invoice', ...details });
}

function stopCollecting(
  unit: UnitOfWork,
  invoice: Invoice,
  status: 'uncollectible' | 'void',
  transition: Partial<Invoice['status_transitions']>,
): Invoice {
  const status_transitions = { ...invoice.status_transitions, ...transition };
  return unit.update('invoice', invoice, {
    status,
    auto_advance: false,
    next_payment_attempt: null,
    status_transitions,
  });
}
