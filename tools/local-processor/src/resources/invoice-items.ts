import type { Stripe } from 'stripe';
import { endpoint } from '../api/endpoint.ts';
import { invalidRequest, noSuch } from '../api/errors.ts';
import { createdWithin, listPage } from '../api/lists.ts';
import { boolean, created, expand, page, parameters, text } from '../api/parameters.ts';
import type { UnitOfWork } from '../api/unit-of-work.ts';
import type { InvoiceItem } from '../objects/stored.ts';

const listParameters = parameters<Stripe.InvoiceItemListParams>()({
  ...page,
  created,
  customer: text().optional(),
  invoice: text().optional(),
  pending: boolean.optional(),
});

/** Invoice items, which the local processor makes for prorations only. */
export const invoiceItemEndpoints = [
  endpoint('GET', '/v1/invoiceitems', listParameters, (unit, given, { url }) => {
    const { customer, invoice, pending } = given;
    const isInTime = createdWithin(given.created);
    const rows = unit.tables.invoiceitem
      .newestFirst()
      .filter(row => customer === undefined || row.customer === customer)
      .filter(row => invoice === undefined || row.invoice === invoice)
      .filter(row => pending === undefined || (row.invoice === null) === pending)
      .filter(row => isInTime({ created: row.date }));
    return listPage(rows, given, url, 'invoiceitem');
  }),
  endpoint(
    'GET',
    '/v1/invoiceitems/:id',
    parameters<Stripe.InvoiceItemRetrieveParams>()({ expand }),
    (unit, _, { id }) => existingItem(unit, id),
  ),
  endpoint('DELETE', '/v1/invoiceitems/:id', parameters<object>()({}), (unit, _, { id }) => deleteItem(unit, id)),
];

/** Deletes an item that waits for an invoice. */
function deleteItem(unit: UnitOfWork, id: string): Stripe.DeletedInvoiceItem {
  const item = existingItem(unit, id);
  if (item.invoice !== null)
    throw invalidRequest('This invoice item is attached to an invoice and cannot be deleted.', { param: 'id' });
  unit.tables.invoiceitem.remove(id);
  unit.emit('invoiceitem.deleted', item);
  return { id, object: 'invoiceitem', deleted: true };
}

function existingItem(unit: UnitOfWork, id: string): InvoiceItem {
  const item = unit.tables.invoiceitem.get(id);
  if (!item) throw noSuch('invoiceitem', id);
  return item;
}
