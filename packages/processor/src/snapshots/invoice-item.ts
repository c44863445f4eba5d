import { parseObject } from './fields.ts';
import { flag, reference, shortText, text, unixTime, wholeNumber } from './values.ts';

/** Parses an invoice item of any API version: since 2025-03-31 its subscription is in `parent`, its price in `pricing`. */
export const readInvoiceItem = (raw: unknown) =>
  parseObject(raw, item => ({
    id: item.required('id', shortText),
    customerId: item.required('customer', reference),
    subscriptionId:
      item.optionalObject('parent', parent =>
        parent.optionalObject('subscription_details', it => it.optional('subscription', reference)),
      ) ?? item.optional('subscription', reference),
    /** Null while it waits. */
    invoiceId: item.optional('invoice', reference),
    description: item.optional('description', text),
    amount: item.required('amount', wholeNumber),
    currency: item.required('currency', shortText),
    quantity: item.optional('quantity', wholeNumber),
    priceId:
      item.optionalObject('pricing', pricing =>
        pricing.optionalObject('price_details', it => it.optional('price', reference)),
      ) ?? item.optional('price', reference),
    isProration: item.optional('proration', flag) ?? false,
    metadata: item.metadata(),
    createdAt: item.required('date', unixTime),
  }));

/** What an invoice bills or will bill once, beside the items of a subscription; the amount in the currency's smallest unit. */
export type InvoiceItemSnapshot = Readonly<ReturnType<typeof readInvoiceItem>>;
