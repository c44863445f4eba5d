import type { Stripe } from 'stripe';
import type { z } from 'zod';
import { endpoint, endpointOn, noParameters, reads } from '../api/endpoint.ts';
import { invalidRequest, noSuch } from '../api/errors.ts';
import { boolean, created, expand, page, parameters, text } from '../api/parameters.ts';
import type { UnitOfWork } from '../api/unit-of-work.ts';
import { rebill } from '../billing/invoice-draft.ts';
import { existing } from '../objects/finding.ts';
import { hasEnded } from '../objects/subscription.ts';
import type { Customer, Invoice, InvoiceItem, Subscription } from '../objects/stored.ts';
import { requireDraft } from './invoice-draft.ts';
import { oneTimeItem, oneTimeParameters, pricingParameter, storeItem } from './one-time-items.ts';
import { currency } from './price-amounts.ts';

const createParameters = parameters<Stripe.InvoiceItemCreateParams>()({
  ...oneTimeParameters,
  currency: currency.optional(),
  customer: text(),
  expand,
  invoice: text().optional(),
  pricing: pricingParameter,
  subscription: text().optional(),
});
type Given = z.output<typeof createParameters>;

const listParameters = parameters<Stripe.InvoiceItemListParams>()({
  ...page,
  created,
  customer: text().optional(),
  invoice: text().optional(),
  pending: boolean.optional(),
});

export const invoiceItemEndpoints = [
  endpoint('POST', '/v1/invoiceitems', createParameters, createItem),
  ...reads('invoiceitem', '/v1/invoiceitems', listParameters, {
    by: ['customer', 'invoice'],
    isListed: (row, { pending }) => pending === undefined || (row.invoice === null) === pending,
  }),
  endpointOn('invoiceitem', 'DELETE', '/v1/invoiceitems/:id', noParameters, deleteItem),
];

/**
 * Creates an item for the next invoice of a subscription or of the customer, or for a draft.
 * (Stripe: https://docs.stripe.com/api/invoiceitems/create)
 * @throws ApiError 400 when parameters do not fit each other, the subscription or the draft
 */
function createItem(unit: UnitOfWork, given: Given): InvoiceItem {
  const customer = existing(unit, 'customer', given.customer, 'customer');
  const subscription = given.subscription === undefined ? null : liveOf(unit, customer, given.subscription);
  const draft = given.invoice === undefined ? null : draftOf(unit, customer, given.invoice);
  const expected = draft?.currency ?? subscription?.currency ?? null;
  const item = oneTimeItem(unit, given, { customer, currency: expected, subscription: subscription?.id ?? null });
  const stored = storeItem(unit, { ...item, invoice: draft?.id ?? null });
  if (draft) rebill(unit, draft);
  return stored;
}

function liveOf(unit: UnitOfWork, customer: Customer, id: string): Subscription {
  const subscription = existing(unit, 'subscription', id, 'subscription');
  if (subscription.customer !== customer.id) throw noSuch('subscription', id, 'subscription');
  if (hasEnded(subscription))
    throw invalidRequest(`The subscription ${id} is ${subscription.status}, and bills nothing more.`, 'subscription');
  return subscription;
}

function draftOf(unit: UnitOfWork, customer: Customer, id: string): Invoice {
  const draft = existing(unit, 'invoice', id, 'invoice');
  if (draft.customer !== customer.id) throw noSuch('invoice', id, 'invoice');
  requireDraft(draft);
  return draft;
}

/** Deletes an item that waits, or takes it from its draft. */
function deleteItem(unit: UnitOfWork, item: InvoiceItem): Stripe.DeletedInvoiceItem {
  const invoice = unit.tables.invoice.get(item.invoice ?? '');
  if (item.invoice !== null && (invoice?.status !== 'draft' || invoice.parent))
    throw invalidRequest("Can't delete an invoice item that is attached to an invoice that is no longer editable");
  unit.tables.invoiceitem.remove(item.id);
  unit.emit('invoiceitem.deleted', item);
  if (invoice) rebill(unit, invoice);
  return { id: item.id, object: 'invoiceitem', deleted: true };
}
