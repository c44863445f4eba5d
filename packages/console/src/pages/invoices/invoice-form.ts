import type { InvoiceCreate, NewInvoiceLine, Price } from '@billing/client';
import { readLine, type LineForm } from './line-form.ts';

/** How an invoice is collected, in words. */
export const COLLECTIONS: Readonly<Record<InvoiceCreate['collect'], string>> = {
  saved: 'Charge now',
  invoice: 'Send an invoice',
};
/** What becomes of an invoice that cannot be charged, in words. */
export const FAILURES: Readonly<Record<NonNullable<InvoiceCreate['onFailure']>, string>> = {
  void: 'Void the invoice',
  keep: 'Keep it open',
};
/** Whether Stripe computes the tax; the project says it unless the form does. */
export type TaxChoice = '' | 'on' | 'off';

/** A line of the form. */
export interface LineRow extends LineForm {
  /** Tells the rows apart. */
  readonly key: string;
}

/** What the form of a new invoice says, as it is written. */
export interface InvoiceForm {
  readonly customerId: string;
  readonly lines: readonly LineRow[];
  /** Of an invoice without a price. */
  readonly currency: string;
  readonly collect: InvoiceCreate['collect'];
  readonly daysUntilDue: string;
  readonly onFailure: NonNullable<InvoiceCreate['onFailure']>;
  readonly promotionCode: string;
  readonly purchaseOrder: string;
  readonly memo: string;
  readonly footer: string;
  readonly automaticTax: TaxChoice;
  readonly isDraft: boolean;
}

const NOTHING_YET: Omit<InvoiceForm, 'customerId' | 'currency' | 'lines'> = {
  collect: 'saved',
  daysUntilDue: '30',
  onFailure: 'void',
  promotionCode: '',
  purchaseOrder: '',
  memo: '',
  footer: '',
  automaticTax: '',
  isDraft: false,
};

/** Returns a form in which little more is chosen than what the service would choose. */
export const newInvoiceForm = (first: Pick<InvoiceForm, 'customerId' | 'currency' | 'lines'>): InvoiceForm => ({
  ...NOTHING_YET,
  ...first,
});

/** As many lines as an invoice can have. */
export const MAX_LINES = 100;
export const MAX_DAYS_UNTIL_DUE = 365;

/** Returns the currency of an invoice: that of its first price, else the one that is chosen. */
export function currencyOf(
  { lines, currency }: Pick<InvoiceForm, 'lines' | 'currency'>,
  prices: readonly Price[],
): string {
  const first = lines.find(({ kind }) => kind === 'price');
  return prices.find(({ id }) => id === first?.priceId)?.currency ?? currency;
}

/** Returns the invoice that a form describes, or why it describes none. */
export function readInvoiceForm(
  form: InvoiceForm,
  prices: readonly Price[],
): { readonly invoice: InvoiceCreate } | { readonly missing: string } {
  const { customerId, collect, onFailure, automaticTax, isDraft } = form;
  if (customerId === '') return { missing: 'Choose the customer.' };
  const currency = currencyOf(form, prices);
  const lines: NewInvoiceLine[] = [];
  for (const row of form.lines) {
    const read = readLine(row, currency);
    if ('missing' in read) return read;
    lines.push(read.line);
  }
  if (lines.length === 0) return { missing: 'Add what is billed.' };
  const daysUntilDue = Number(form.daysUntilDue.trim() || Number.NaN);
  const isDays = Number.isInteger(daysUntilDue) && daysUntilDue >= 0 && daysUntilDue <= MAX_DAYS_UNTIL_DUE;
  if (collect === 'invoice' && !isDays) return { missing: `An invoice is due in 0 to ${MAX_DAYS_UNTIL_DUE} days.` };
  const texts = {
    promotionCode: form.promotionCode,
    purchaseOrder: form.purchaseOrder,
    memo: form.memo,
    footer: form.footer,
  };
  const written = Object.entries(texts).flatMap(([name, text]) => (text.trim() === '' ? [] : [[name, text.trim()]]));
  return {
    invoice: {
      customerId,
      lines,
      ...(lines.every(line => !('priceId' in line)) && { currency }),
      collect,
      ...(collect === 'invoice' ? { daysUntilDue } : { onFailure }),
      ...Object.fromEntries(written),
      ...(automaticTax !== '' && { automaticTax: automaticTax === 'on' }),
      draft: isDraft,
    },
  };
}

/** Returns the part of an invoice that says what it costs. */
export const costOf = ({ customerId, lines, currency, promotionCode, automaticTax }: InvoiceCreate): InvoiceCreate => ({
  customerId,
  lines,
  currency,
  promotionCode,
  automaticTax,
  // A preview needs one of them.
  collect: 'invoice',
});
