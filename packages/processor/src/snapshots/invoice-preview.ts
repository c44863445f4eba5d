import { flag, parseObject, reference, text, unixTime, wholeNumber, type Fields } from './fields.ts';

/** One line of a preview. */
export interface PreviewLine {
  readonly description: string | null;
  /** Before discounts; prorations contain them. */
  readonly amount: number;
  readonly quantity: number | null;
  readonly priceId: string | null;
  readonly periodStart: Date;
  readonly periodEnd: Date;
  readonly isProration: boolean;
}

/** An invoice as it would be; amounts in the currency's smallest unit. */
export interface InvoicePreview {
  readonly id: string;
  readonly currency: string;
  readonly subtotal: number;
  /** What discounts take off the subtotal. */
  readonly discount: number;
  readonly tax: number;
  readonly total: number;
  readonly amountDue: number;
  /** Negative for credit that the invoice may use. */
  readonly startingBalance: number;
  /** What the invoice leaves; null when the processor does not say. */
  readonly endingBalance: number | null;
  /** When it would be made. */
  readonly at: Date;
  /** From when on its lines prorate a change; null without prorations. */
  readonly prorationDate: Date | null;
  readonly lines: readonly PreviewLine[];
}

/** Parses a preview. https://docs.stripe.com/api/invoices/create_preview */
export const readInvoicePreview = (raw: unknown): InvoicePreview =>
  parseObject(raw, invoice => ({
    id: invoice.required('id', text),
    currency: invoice.required('currency', text),
    subtotal: invoice.required('subtotal', wholeNumber),
    discount: sumOf(invoice, 'total_discount_amounts'),
    tax: sumOf(invoice, 'total_taxes'),
    total: invoice.required('total', wholeNumber),
    amountDue: invoice.required('amount_due', wholeNumber),
    startingBalance: invoice.optional('starting_balance', wholeNumber) ?? 0,
    endingBalance: invoice.optional('ending_balance', wholeNumber),
    at: invoice.required('created', unixTime),
    prorationDate: invoice.optionalObject('parent', parent =>
      parent.optionalObject('subscription_details', it => it.optional('subscription_proration_date', unixTime)),
    ),
    lines: invoice.list('lines', parseLine),
  }));

function parseLine(line: Fields): PreviewLine {
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

const sumOf = (invoice: Fields, name: string): number =>
  invoice.array(name, it => it.required('amount', wholeNumber)).reduce((sum, amount) => sum + amount, 0);
