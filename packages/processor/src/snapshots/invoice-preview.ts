import { parseObject, type Fields } from './fields.ts';
import { flag, reference, shortText, text, unixTime, wholeNumber } from './values.ts';

/** Parses a preview. https://docs.stripe.com/api/invoices/create_preview */
export const readInvoicePreview = (raw: unknown) =>
  parseObject(raw, invoice => ({
    id: invoice.required('id', shortText),
    currency: invoice.required('currency', shortText),
    subtotal: invoice.required('subtotal', wholeNumber),
    /** What discounts take off the subtotal. */
    discount: sumOf(invoice, 'total_discount_amounts'),
    tax: sumOf(invoice, 'total_taxes'),
    total: invoice.required('total', wholeNumber),
    amountDue: invoice.required('amount_due', wholeNumber),
    /** Negative for credit that the invoice may use. */
    startingBalance: invoice.optional('starting_balance', wholeNumber) ?? 0,
    /** What the invoice leaves; null when the processor does not say. */
    endingBalance: invoice.optional('ending_balance', wholeNumber),
    /** When it would be made. */
    at: invoice.required('created', unixTime),
    /** From when on its lines prorate a change; null without prorations. */
    prorationDate: invoice.optionalObject('parent', parent =>
      parent.optionalObject('subscription_details', it => it.optional('subscription_proration_date', unixTime)),
    ),
    lines: invoice.list('lines', parseLine),
  }));

/** An invoice as it would be; amounts in the currency's smallest unit. */
export type InvoicePreview = Readonly<ReturnType<typeof readInvoicePreview>>;

function parseLine(line: Fields) {
  const period = line.object('period', it => ({
    start: it.required('start', unixTime),
    end: it.required('end', unixTime),
  }));
  const isProration = line.optionalObject('parent', parent =>
    ['subscription_item_details', 'invoice_item_details'].some(
      name => parent.optionalObject(name, it => it.optional('proration', flag)) === true,
    ),
  );
  return {
    description: line.optional('description', text),
    /** Before discounts; prorations contain them. */
    amount: line.required('amount', wholeNumber),
    quantity: line.optional('quantity', wholeNumber),
    priceId: line.optionalObject('pricing', pricing =>
      pricing.optionalObject('price_details', it => it.optional('price', reference)),
    ),
    periodStart: period.start,
    periodEnd: period.end,
    isProration: isProration ?? false,
  };
}

/** One line of a preview. */
export type PreviewLine = Readonly<ReturnType<typeof parseLine>>;

const sumOf = (invoice: Fields, name: string): number =>
  invoice.array(name, it => it.required('amount', wholeNumber)).reduce((sum, amount) => sum + amount, 0);
