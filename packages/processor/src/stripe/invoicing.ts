import type { Stripe } from 'stripe';
import { isMissing } from '../errors.ts';
import type { Invoicing, InvoiceTerms, NewInvoice, NewInvoiceLine } from '../invoicing.ts';
import { PAGE_SIZE } from '../page-size.ts';
import { readInvoiceItem } from '../snapshots/invoice-item.ts';
import { readInvoicePreview } from '../snapshots/invoice-preview.ts';
import { readInvoice } from '../snapshots/invoice.ts';
import { given, listAll, write, type Calls } from './calls.ts';
import { findCreated } from './find-created.ts';
import { wholeInvoices, WITH_PAYMENTS } from './invoices.ts';
import { completeLists, wholePreview } from './nested-lists.ts';

/** Invoices beside subscriptions, and invoice items. */
export function invoicingCalls(calls: Calls): Invoicing {
  const { stripe, call } = calls;
  const invoiceFrom = wholeInvoices(calls);
  const pendingItems = (customer: string) =>
    listAll(stripe.invoiceItems.list({ customer, pending: true, limit: PAGE_SIZE }));
  const goneAlready = (error: unknown) => {
    if (!isMissing(error)) throw error;
  };

  return {
    previewLines: (terms, lines) =>
      call(async () => {
        const { customerId: customer, currency } = terms;
        // To try first at Stripe: that these are all that a preview of a customer takes in.
        const waiting = (await pendingItems(customer)).filter(it => it.parent === null && it.currency === currency);
        const invoice_items = [
          ...lines.map(line => previewedItem(line, currency)),
          ...waiting.map(({ id }) => ({ invoiceitem: id, amount: 0 })),
        ];
        const params = { customer, currency, invoice_items, ...amountTerms(terms) };
        const preview = await wholePreview(stripe, await stripe.invoices.createPreview(params));
        return readInvoicePreview(withoutItems(preview, new Set(waiting.map(({ id }) => id))));
      }),
    createInvoice: (invoice, key) =>
      invoiceFrom(() => stripe.invoices.create({ ...draftParams(invoice), ...WITH_PAYMENTS }, write(key))),
    findCreatedInvoice: (customer, created) =>
      call(async () => {
        const list = { customer, expand: ['data.payments'] };
        const found = await findCreated(created, page => stripe.invoices.list({ ...list, ...page }));
        return found && readInvoice(await completeLists(stripe, found));
      }),
    addInvoiceLines: (id, { currency, lines }, key) =>
      invoiceFrom(() => {
        const added = lines.map(line => lineParams(line, currency));
        return stripe.invoices.addLines(id, { lines: added, ...WITH_PAYMENTS }, write(key));
      }),
    finalizeInvoice: (id, advances, key) =>
      invoiceFrom(() => stripe.invoices.finalizeInvoice(id, { auto_advance: advances, ...WITH_PAYMENTS }, write(key))),
    sendInvoice: (id, key) => invoiceFrom(() => stripe.invoices.sendInvoice(id, WITH_PAYMENTS, write(key))),
    markInvoicePaid: (id, key) =>
      invoiceFrom(() => stripe.invoices.pay(id, { paid_out_of_band: true, ...WITH_PAYMENTS }, write(key))),
    deleteDraft: id => call(async () => void (await stripe.invoices.del(id))).catch(goneAlready),

    createInvoiceItem: ({ customerId, subscriptionId, currency, line, metadata }, key) =>
      call(async () => {
        const of = { customer: customerId, subscription: subscriptionId, currency, metadata: { ...metadata } };
        return readInvoiceItem(await stripe.invoiceItems.create({ ...of, ...lineParams(line, currency) }, write(key)));
      }),
    findCreatedInvoiceItem: (customer, created) =>
      call(async () => {
        const found = await findCreated(created, page => stripe.invoiceItems.list({ customer, ...page }));
        return found && readInvoiceItem(found);
      }),
    findInvoiceItem: id => call(async () => readInvoiceItem(await stripe.invoiceItems.retrieve(id))),
    listPendingItems: (customer, subscriptionId) =>
      call(async () =>
        (await pendingItems(customer)).map(readInvoiceItem).filter(item => item.subscriptionId === subscriptionId),
      ),
    deleteInvoiceItem: id => call(async () => void (await stripe.invoiceItems.del(id))).catch(goneAlready),
  };
}

/** Returns the parameters that invoices, subscriptions and their previews share. */
export const amountTerms = ({
  automaticTax,
  promotionCodeId,
}: Pick<InvoiceTerms, 'automaticTax' | 'promotionCodeId'>) => ({
  automatic_tax: { enabled: automaticTax },
  ...given({ discounts: promotionCodeId === undefined ? undefined : [{ promotion_code: promotionCodeId }] }),
});

function draftParams(invoice: NewInvoice): Stripe.InvoiceCreateParams {
  const { customerId, currency, daysUntilDue, paymentMethodId, invoiceFields, memo, footer, metadata } = invoice;
  return {
    customer: customerId,
    currency,
    collection_method: daysUntilDue === undefined ? 'charge_automatically' : 'send_invoice',
    auto_advance: false,
    pending_invoice_items_behavior: 'exclude',
    ...amountTerms(invoice),
    ...given({
      days_until_due: daysUntilDue,
      default_payment_method: paymentMethodId,
      // An empty list would be left out, and those of the customer taken.
      custom_fields: invoiceFields?.length === 0 ? ('' as const) : invoiceFields?.map(field => ({ ...field })),
      description: memo,
      footer,
    }),
    metadata: { ...metadata },
  };
}

const priceData = (product: string, unitAmount: number, currency: string) => ({
  price_data: { currency, product, unit_amount: unitAmount },
});

/** Returns a line in the parameters of invoices and invoice items. */
function lineParams(line: NewInvoiceLine, currency: string) {
  if ('priceId' in line) return { pricing: { price: line.priceId }, quantity: line.quantity };
  if ('amount' in line) return { amount: line.amount, description: line.description };
  const { productId, unitAmount, quantity, description } = line;
  return { ...priceData(productId, unitAmount, currency), quantity, ...given({ description }) };
}

/** Returns a line in the parameters of previews, which name a price in another way. */
function previewedItem(line: NewInvoiceLine, currency: string): Stripe.InvoiceCreatePreviewParams.InvoiceItem {
  if ('priceId' in line) return { price: line.priceId, quantity: line.quantity };
  return 'amount' in line ? { ...lineParams(line, currency), currency } : lineParams(line, currency);
}

const withoutItems = ({ lines, ...preview }: Stripe.Invoice, items: ReadonlySet<string>) => ({
  ...preview,
  lines: {
    ...lines,
    data: lines.data.filter(({ parent }) => !items.has(parent?.invoice_item_details?.invoice_item ?? '')),
  },
});
