import type { Stripe } from 'stripe';
import { z } from 'zod';
import { endpoint } from '../api/endpoint.ts';
import { actionRequired, cardDeclined, invalidRequest, noSuch } from '../api/errors.ts';
import { createdWithin, listPage } from '../api/lists.ts';
import { boolean, choice, created, expand, page, parameters, text } from '../api/parameters.ts';
import type { UnitOfWork } from '../api/unit-of-work.ts';
import { dropChangeOf } from '../billing/pending-changes.ts';
import { finalizeInvoice, markPaid, markUncollectible, voidInvoice } from '../billing/invoicing.ts';
import { payInvoice, settle } from '../billing/pay-invoice.ts';
import { outcomeOf } from '../billing/payments.ts';
import { cardFor } from '../billing/cards.ts';
import { previousAttributes } from '../domain/previous-attributes.ts';
import { customerOrNull } from '../objects/customer.ts';
import { subscriptionOf } from '../objects/invoice.ts';
import { inItsTime } from '../objects/test-clock.ts';
import type { Invoice, PaymentMethod } from '../objects/stored.ts';

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
  endpoint('GET', '/v1/invoices', listParameters, listInvoices),
  endpoint('GET', '/v1/invoices/:id', parameters<Stripe.InvoiceRetrieveParams>()({ expand }), (unit, _, { id }) =>
    existingInvoice(unit, id),
  ),
  endpoint(
    'GET',
    '/v1/invoices/:id/lines',
    parameters<Stripe.InvoiceListLineItemsParams>()(page),
    (unit, given, { id, url }) =>
      listPage(unit.tables.preview.get(id)?.lines ?? existingInvoice(unit, id).lines.data, given, url, 'line item'),
  ),
  endpoint('POST', '/v1/invoices/:id/pay', payParameters, (unit, given, { id }) => pay(unit, id, given)),
  endpoint(
    'POST',
    '/v1/invoices/:id/void',
    parameters<Stripe.InvoiceVoidInvoiceParams>()({ expand }),
    (unit, _, { id }) => voidOpen(unit, id),
  ),
  endpoint(
    'POST',
    '/v1/invoices/:id/finalize',
    parameters<Stripe.InvoiceFinalizeInvoiceParams>()({ auto_advance: boolean.optional(), expand }),
    (unit, given, { id }) => finalize(unit, id, given.auto_advance),
  ),
  endpoint(
    'POST',
    '/v1/invoices/:id/mark_uncollectible',
    parameters<Stripe.InvoiceMarkUncollectibleParams>()({ expand }),
    (unit, _, { id }) => {
      const invoice = existingInvoice(unit, id);
      if (invoice.status !== 'open')
        throw invalidRequest(`You can only mark open invoices as uncollectible. This invoice is ${invoice.status}.`);
      return markUncollectible(unit, invoice);
    },
  ),
  endpoint('GET', '/v1/invoice_payments', paymentListParameters, listInvoicePayments),
  endpoint(
    'GET',
    '/v1/invoice_payments/:id',
    parameters<Stripe.InvoicePaymentRetrieveParams>()({ expand }),
    (unit, _, { id }) => {
      const payment = unit.tables.invoice_payment.get(id);
      if (!payment) throw noSuch('invoice_payment', id);
      return payment;
    },
  ),
];

function listInvoices(unit: UnitOfWork, given: z.output<typeof listParameters>, { url }: { url: string }) {
  const { customer, status, subscription } = given;
  const table = unit.tables.invoice;
  const isInTime = createdWithin(given.created);
  const isListed = (row: Invoice) =>
    (status === undefined || row.status === status) &&
    (subscription === undefined || subscriptionOf(row) === subscription) &&
    isInTime(row);
  return listPage(
    customer === undefined ? table : table.withField('customer', customer),
    given,
    url,
    'invoice',
    isListed,
  );
}

/**
 * Pays an open invoice with the given card, else the subscription's, else the customer's.
 * @throws ApiError 402 when the card is declined, or the customer has to confirm the payment
 */
function pay(unit: UnitOfWork, id: string, given: z.output<typeof payParameters>): Invoice {
  const invoice = existingInvoice(unit, id);
  if (invoice.status === 'paid') throw invalidRequest('Invoice is already paid', { code: 'invoice_already_paid' });
  if (invoice.status !== 'open' && invoice.status !== 'uncollectible')
    throw invalidRequest(`This invoice is ${invoice.status} and cannot be paid.`);
  if (given.paid_out_of_band) return settle(unit, markPaid(unit, invoice, null));
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
  const subscription = unit.tables.subscription.get(subscriptionOf(invoice) ?? '');
  const preferred = customerOrNull(unit, invoice.customer)?.invoice_settings.default_payment_method;
  const card =
    (subscription && cardFor(unit, subscription)) ??
    (typeof preferred === 'string' ? unit.tables.payment_method.get(preferred) : undefined);
  if (!card)
    throw invalidRequest(
      'There is no `default_payment_method` set on this Customer or Invoice. Please set a default payment method or pass one.',
    );
  return card;
}

/** Finalizes a draft. One with nothing due is paid. */
function finalize(unit: UnitOfWork, id: string, autoAdvance: boolean | undefined): Invoice {
  const draft = existingInvoice(unit, id);
  if (draft.status !== 'draft')
    throw invalidRequest("This invoice is already finalized, you can't re-finalize a non-draft invoice.", {
      code: 'invoice_not_editable',
    });
  const invoice = finalizeInvoice(unit, autoAdvance === undefined ? draft : { ...draft, auto_advance: autoAdvance });
  unit.emit('invoice.updated', invoice, previousAttributes(draft, invoice));
  return invoice.amount_due === 0 ? markPaid(unit, invoice, null) : invoice;
}

function voidOpen(unit: UnitOfWork, id: string): Invoice {
  const invoice = existingInvoice(unit, id);
  if (invoice.status !== 'open' && invoice.status !== 'uncollectible')
    throw invalidRequest(`You can only pass in open or uncollectible invoices. This invoice is ${invoice.status}.`);
  return dropChangeOf(unit, voidInvoice(unit, invoice));
}

function listInvoicePayments(
  unit: UnitOfWork,
  given: z.output<typeof paymentListParameters>,
  { url }: { url: string },
) {
  const { invoice, payment, status } = given;
  const table = unit.tables.invoice_payment;
  const candidates = invoice === undefined ? table.newestFirst() : table.withField('invoice', invoice);
  const rows = candidates
    .filter(row => payment?.payment_intent === undefined || row.payment.payment_intent === payment.payment_intent)
    .filter(row => status === undefined || row.status === status)
    .filter(createdWithin(given.created));
  return listPage(rows, given, url, 'invoice_payment');
}

function existingInvoice(unit: UnitOfWork, id: string): Invoice {
  const invoice = unit.tables.invoice.get(id);
  if (!invoice) throw noSuch('invoice', id);
  return inItsTime(unit, invoice);
}
