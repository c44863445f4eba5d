import { parseObject } from './fields.ts';
import { readLine, readTaxes, sumOf } from './invoice-amounts.ts';
import { shortText, unixTime, wholeNumber } from './values.ts';

/** Parses a preview. https://docs.stripe.com/api/invoices/create_preview */
export const readInvoicePreview = (raw: unknown) =>
  parseObject(raw, invoice => ({
    id: invoice.required('id', shortText),
    currency: invoice.required('currency', shortText),
    subtotal: invoice.required('subtotal', wholeNumber),
    /** What discounts take off the subtotal. */
    discount: sumOf(invoice, 'total_discount_amounts'),
    tax: readTaxes(invoice).tax,
    /** Whether tax was to be computed, and cannot be: it would not be made final. */
    lacksTaxLocation:
      invoice.optionalObject('automatic_tax', it => it.optional('status', shortText)) === 'requires_location_inputs',
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
    lines: invoice.list('lines', readLine),
  }));

/** An invoice as it would be; amounts in the currency's smallest unit. */
export type InvoicePreview = Readonly<ReturnType<typeof readInvoicePreview>>;
