import { expect, test } from 'vitest';
import { readTaxId, registerSays, type TaxIdType } from './tax-ids.ts';

test.each<[TaxIdType, string, string]>([
  ['eu_vat', 'DE123456789', 'DE'],
  ['eu_vat', 'EL123456789', 'GR'],
  ['eu_vat', 'ie1234567wa', 'IE'],
  ['eu_vat', 'NL 123456789 B12', 'NL'],
  ['eu_vat', 'XI123456789', 'GB'],
  ['gb_vat', 'GB123456789', 'GB'],
  ['ch_vat', 'CHE-123.456.789 MWST', 'CH'],
  ['us_ein', '12-3456789', 'US'],
  ['au_abn', '12345678912', 'AU'],
  ['jp_trn', 'T1234567891234', 'JP'],
  ['br_cnpj', '01.234.456/5432-10', 'BR'],
  ['in_gst', '12ABCDE3456FGZH', 'IN'],
])('takes %s %s, of %s', (type, value, country) => {
  expect(readTaxId(type, value)?.country).toBe(country);
});

test.each<[TaxIdType, string]>([
  ['eu_vat', 'DE12345678'],
  ['eu_vat', 'GB123456789'],
  ['eu_vat', '123456789'],
  ['eu_vat', 'DE123456789DK12345678'],
  ['gb_vat', '123456789'],
  ['us_ein', '1234567'],
  ['jp_trn', '1234567891234'],
])('refuses %s %s', (type, value) => {
  expect(readTaxId(type, value)).toBeNull();
});

test('has a register say of Stripe’s test values what their digits mean', () => {
  expect(['DE000000000', 'DE111111111', 'DE222222222', 'DE123456789'].map(registerSays)).toEqual([
    'verified',
    'unverified',
    'pending',
    'verified',
  ]);
});
