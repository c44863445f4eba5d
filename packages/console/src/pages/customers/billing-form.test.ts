import type { BillingDetails } from '@billing/client';
import { expect, it } from 'vitest';
import { changedDetails } from './billing-form.ts';

const ADDRESS = {
  line1: 'Invalidenstr. 1',
  line2: null,
  city: 'Berlin',
  state: null,
  postalCode: '10115',
  country: 'DE',
};
const BEFORE: BillingDetails = {
  customerId: 'pc_1',
  businessName: 'Engines GmbH',
  address: ADDRESS,
  phone: null,
  taxIds: [{ type: 'eu_vat', value: 'DE123456789', verification: 'verified' }],
  taxExempt: 'reverse',
  locale: 'de',
  purchaseOrder: '17',
  invoiceFields: [{ name: 'Cost centre', value: '4711' }],
  taxLocation: 'recognized',
  updatedAt: '2026-03-02T09:30:00.000Z',
};

/** The fields of the form as it is opened, but for those that are given. */
function fieldsOf(changes: Readonly<Record<string, string | readonly string[]>> = {}, before = BEFORE): FormData {
  const { businessName, phone, taxExempt, locale, purchaseOrder, address, taxIds, invoiceFields } = before;
  const lines = Object.entries(address ?? {}).map(([line, text]) => [`address.${line}`, text ?? ''] as const);
  const opened = {
    ...Object.fromEntries(lines),
    businessName,
    phone,
    taxExempt,
    locale,
    purchaseOrder,
    taxIdType: taxIds.map(({ type }) => type),
    taxIdValue: taxIds.map(({ value }) => value),
    invoiceFieldName: invoiceFields.map(({ name }) => name),
    invoiceFieldValue: invoiceFields.map(({ value }) => value),
    ...changes,
  };
  const fields = new FormData();
  for (const [name, texts] of Object.entries(opened))
    for (const text of [texts ?? ''].flat()) fields.append(name, text);
  return fields;
}

it('sends nothing of what is as it was, also of an address that Stripe has without a country', () => {
  expect(changedDetails(fieldsOf(), BEFORE)).toEqual({});
  const nowhere = { ...BEFORE, address: { ...ADDRESS, country: null } };
  expect(changedDetails(fieldsOf({}, nowhere), nowhere)).toEqual({});
});

it('sends changed texts without spaces around them, and null for those that were emptied', () => {
  const fields = fieldsOf({ businessName: ' Machines SA ', purchaseOrder: ' ', taxExempt: 'none' });
  expect(changedDetails(fields, BEFORE)).toEqual({
    businessName: 'Machines SA',
    purchaseOrder: null,
    taxExempt: 'none',
  });
});

it('sends an address and lists as a whole', () => {
  const fields = fieldsOf({ 'address.country': 'fr', taxIdValue: 'FRAB123456789', invoiceFieldName: [] });
  expect(changedDetails(fields, BEFORE)).toEqual({
    address: { ...ADDRESS, country: 'FR' },
    taxIds: [{ type: 'eu_vat', value: 'FRAB123456789' }],
    invoiceFields: [],
  });
});

it('clears an address of which no line is left', () => {
  const emptied = Object.keys(ADDRESS).map(line => [`address.${line}`, ''] as const);
  expect(changedDetails(fieldsOf(Object.fromEntries(emptied)), BEFORE)).toEqual({ address: null });
});
