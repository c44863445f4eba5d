import type { Stripe } from 'stripe';
import { z } from 'zod';
import { endpoint, endpointOn, noParameters, onlyExpand, reads } from '../api/endpoint.ts';
import { actionRequired, cardDeclined, invalidRequest, noSuch } from '../api/errors.ts';
import { listPage } from '../api/lists.ts';
import { boolean, choice, created, expand, page, parameters, text } from '../api/parameters.ts';
import type { UnitOfWork } from '../api/unit-of-work.ts';
import { dropChangeOf } from '../billing/pending-changes.ts';
import { finalizeInvoice, markPaid } from '../billing/invoicing.ts';
import { markPaidElsewhere, markUncollectible, voidInvoice } from '../billing/end-invoice.ts';
import { payInvoice, settle } from '../billing/pay-invoice.ts';
import { cardFor, outcomeOf } from '../billing/payments.ts';
import { requireTaxLocation } from '../billing/tax.ts';
import { previousAttributes } from '../domain/previous-attributes.ts';
import { existing } from '../objects/finding.ts';
import { subscriptionOf } from '../objects/invoice.ts';
import type { Invoice, PaymentMethod } from '../objects/stored.ts';
import { addLines, addLinesParameters, createInvoice, createParameters } from './invoice-draft.ts';

const listParameters = parameters<Stripe.InvoiceListParams>()({
  ...page,
  created,
  customer: text().optional(),
  status: choice('draft', 'open', 'paid', 'uncollectible', 'void').optional(),
  subscription: text().optional(),
});
const payParameters = parameters<Stripe.InvoicePayParams>()({
  expand,
  off_session: boolean.optional(),
  paid_out_of_band: boolean.optional(),
  payment_method: text().optional(),
});
const paymentListParameters = parameters<Stripe.InvoicePaymentListParams>()({
  ...page,
  created,
  invoice: text().optional(),
  payment: z
    .strictObject({ payment_intent: text().optional(), type: choice('payment_intent', 'charge', 'payment_record') })
    .optional(),
  status: choice('canceled', 'open', 'paid').optional(),
});

export const invoiceEndpoints = [
  endpoint('POST', '/v1/invoices', createParameters, createInvoice),
  endpointOn('invoice', 'POST', '/v1/invoices/:id/add_lines', addLinesParameters, addLines),
  endpointOn('invoice', 'POST', '/v1/invoices/:id/send', onlyExpand, send),
  endpointOn('invoice', 'DELETE', '/v1/invoices/:id', noParameters, deleteDraft),
  ...reads('invoice', '/v1/invoices', listParameters, {
    by: ['customer', 'status'],
    isListed: (row, { subscription }) => subscription === undefined || subscriptionOf(row) === subscription,
  }),
  endpoint(
    'GET',
    '/v1/invoices/:id/lines',
    parameters<Stripe.InvoiceListLineItemsParams>()(page),
    (unit, given, { id, url }) => {
      const { lines } = unit.tables.preview.get(id) ?? { lines: existing(unit, 'invoice', id).lines.data };
      return listPage(lines, given, url, 'line item');
    },
  ),
  endpointOn('invoice', 'POST', '/v1/invoices/:id/pay', payParameters, pay),
  endpointOn('invoice', 'POST', '/v1/invoices/:id/void', onlyExpand, (unit, invoice) => {
    if (invoice.status !== 'open' && invoice.status !== 'uncollectible')
      throw invalidRequest(`You can only pass in open or uncollectible invoices. This invoice is ${invoice.status}.`);
    return dropChangeOf(unit, voidInvoice(unit, invoice));
  }),
  endpointOn(
    'invoice',
    'POST',
    '/v1/invoices/:id/finalize',
    parameters<Stripe.InvoiceFinalizeInvoiceParams>()({ auto_advance: boolean.optional(), expand }),
    (unit, draft, given) => finalize(unit, draft, given.auto_advance),
  ),
  endpointOn('invoice', 'POST', '/v1/invoices/:id/mark_uncollectible', onlyExpand, (unit, invoice) => {
    if (invoice.status !== 'open')
      throw invalidRequest(`You can only mark open invoices as uncollectible. This invoice is ${invoice.status}.`);
    return markUncollectible(unit, invoice);
  }),
  ...reads('invoice_payment', '/v1/invoice_payments', paymentListParameters, {
    by: ['invoice', 'status'],
    isListed: ({ payment: { payment_intent: intent } }, { payment }) =>
      payment?.payment_intent === undefined || intent === payment.payment_intent,
  }),
];

/**
 * Pays an open invoice with the given card, else the subscription's, else the customer's.
 * @throws ApiError 402 when the card is declined, or the customer has to confirm the payment
 */
function pay(unit: UnitOfWork, invoice: Invoice, given: z.output<typeof payParameters>): Invoice {
  if (invoice.status === 'paid') throw invalidRequest('Invoice is already paid', undefined, 'invoice_already_paid');
  if (invoice.status !== 'open' && invoice.status !== 'uncollectible')
    throw invalidRequest(`This invoice is ${invoice.status} and cannot be paid.`);
  if (given.paid_out_of_band) return settle(unit, markPaidElsewhere(unit, invoice));
  const card = payingCard(unit, invoice, given.payment_method);
  const { invoice: after, attempt } = payInvoice(unit, invoice, card, outcomeOf(unit, card));
  if (attempt?.outcome === 'authenticates') throw actionRequired('invoice', attempt.intent, card);
  if (attempt?.outcome === 'declines') throw cardDeclined(attempt.charge?.id ?? null, attempt.intent, card);
  return after;
}

function payingCard(unit: UnitOfWork, invoice: Invoice, given: string | undefined): PaymentMethod {
  if (given !== undefined) {
    const card = unit.tables.payment_method.get(given);
    if (card?.customer !== invoice.customer) throw noSuch('PaymentMethod', given, 'payment_method');
    return card;
  }
  const card = cardFor(unit, unit.tables.subscription.get(subscriptionOf(invoice) ?? '') ?? invoice);
  if (!card)
    throw invalidRequest(
      'There is no `default_payment_method` set on this Customer or Invoice. Please set a default payment method or pass one.',
    );
  return card;
}

/** Finalizes a draft. One with nothing due is paid. @throws ApiError 400 when it is to be taxed and its customer cannot be */
function finalize(unit: UnitOfWork, draft: Invoice, autoAdvance?: boolean): Invoice {
  if (draft.status !== 'draft')
    throw invalidRequest(
      "This invoice is already finalized, you can't re-finalize a non-draft invoice.",
      undefined,
      'invoice_not_editable',
    );
  if (draft.automatic_tax.enabled && !draft.parent)
    requireTaxLocation(unit, existing(unit, 'customer', draft.customer ?? '', 'customer'));
  const invoice = finalizeInvoice(unit, autoAdvance === undefined ? draft : { ...draft, auto_advance: autoAdvance });
  unit.emit('invoice.updated', invoice, previousAttributes(draft, invoice));
  return invoice.amount_due === 0 ? markPaid(unit, invoice, null) : invoice;
}

/** Mails an open invoice to its customer; a draft is finalized first. (Stripe: https://docs.stripe.com/api/invoices/send) */
function send(unit: UnitOfWork, given: Invoice): Invoice {
  if (given.collection_method !== 'send_invoice')
    throw invalidRequest("You can only manually send an invoice if its collection method is 'send_invoice'.");
  const invoice = given.status === 'draft' ? finalize(unit, given) : given;
  if (invoice.status !== 'open' && given.status !== 'draft')
    throw invalidRequest(
      'This invoice cannot be sent right now. Please contact us via https://support.stripe.com/contact with details, so we can help.',
    );
  unit.emit('invoice.sent', invoice);
  return invoice;
}

/** Deletes a draft beside subscriptions. Its items stay with it, and are billed no more. */
function deleteDraft(unit: UnitOfWork, invoice: Invoice): Stripe.DeletedInvoice {
  if (invoice.parent) throw invalidRequest("You can't delete invoices created by subscriptions.");
  if (invoice.status !== 'draft') throw invalidRequest('You can only delete draft invoices.');
  const { id } = invoice;
  unit.tables.invoice.remove(id);
  unit.emit('invoice.deleted', invoice);
  return { id, object: 'invoice', deleted: true };
}
