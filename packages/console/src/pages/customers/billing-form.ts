import type { BillingDetails, BillingDetailsUpdate } from '@billing/client';
import { textOf } from '#ui/form.tsx';
import { pairsOf } from '#ui/pair-fields.tsx';

/** The names of both inputs of a tax id, and of an invoice field. */
export const TAX_ID_INPUTS = ['taxIdType', 'taxIdValue'] as const;
export const INVOICE_FIELD_INPUTS = ['invoiceFieldName', 'invoiceFieldValue'] as const;

type Line = keyof NonNullable<BillingDetails['address']>;

const toAddress = (lineOf: (line: Line) => string | null) => ({
  line1: lineOf('line1'),
  line2: lineOf('line2'),
  city: lineOf('city'),
  state: lineOf('state'),
  postalCode: lineOf('postalCode'),
  country: lineOf('country')?.toUpperCase() ?? '',
});

/** Returns the details in a form's fields that differ from those that it was opened with. An address without lines is none. */
export function changedDetails(fields: FormData, before: BillingDetails): BillingDetailsUpdate {
  const read = (name: string) => textOf(fields, name) || null;
  const address = toAddress(line => read(`address.${line}`));
  const wanted: BillingDetailsUpdate = {
    businessName: read('businessName'),
    address: Object.values(address).some(Boolean) ? address : null,
    phone: read('phone'),
    taxIds: pairsOf(fields, TAX_ID_INPUTS).map(([type, value]) => ({ type, value: value.trim() })),
    taxExempt: textOf(fields, 'taxExempt') as BillingDetails['taxExempt'], // the options of the field
    locale: read('locale'),
    purchaseOrder: read('purchaseOrder'),
    invoiceFields: pairsOf(fields, INVOICE_FIELD_INPUTS).map(([name, value]) => ({ name, value: value.trim() })),
  };
  const { address: had, taxIds, invoiceFields } = before;
  const known: object = {
    ...before,
    address: had && toAddress(line => had[line]),
    taxIds: taxIds.map(({ type, value }) => ({ type, value })),
    invoiceFields: invoiceFields.map(({ name, value }) => ({ name, value })),
  };
  const isSame = (name: string, value: unknown) => JSON.stringify(value) === JSON.stringify(Reflect.get(known, name));
  return Object.fromEntries(Object.entries(wanted).filter(([name, value]) => !isSame(name, value)));
}
