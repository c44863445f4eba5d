import {
  NO_DETAILS,
  portalBillingDetails,
  portalBillingDetailsUpdate,
  type PortalBillingDetails,
} from '@billing/contracts/resources/billing-details';
import { CustomerId } from '@billing/contracts/ids';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { formOf, readForm, removalOf } from './details-form.ts';

const VAT = { type: 'eu_vat', value: 'DE123456789', verification: 'verified' } as const;
const EIN = { type: 'us_ein', value: '12-3456789', verification: 'pending' } as const;
const detailsWith = (changes: Partial<PortalBillingDetails>): PortalBillingDetails => ({
  ...portalBillingDetails.decode({
    ...NO_DETAILS,
    customerId: CustomerId.example,
    updatedAt: '2026-11-01T00:00:00.000Z',
  }),
  ...changes,
});
const plain = ({ type, value }: PortalBillingDetails['taxIds'][number]) => ({ type, value });
const words = fc.stringMatching(/^[a-zA-Z][a-z ]{0,8}[a-z]$/);
const orNull = fc.option(words);
const isEmpty = (address: object | null) => Object.values(address ?? {}).every(value => value === null);

it('changes nothing of what is shown when nothing was typed', () => {
  const address = fc.record({
    line1: orNull,
    line2: orNull,
    city: orNull,
    state: orNull,
    postalCode: orNull,
    country: fc.constantFrom('DE', 'US', 'AQ', null),
  });
  const some = fc.record({
    businessName: orNull,
    phone: orNull,
    purchaseOrder: orNull,
    locale: fc.constantFrom('de', 'da', null),
    address: fc.option(address).filter(given => isEmpty(given) || given?.country != null),
    taxIds: fc.subarray([VAT, EIN]),
  });
  fc.assert(
    fc.property(some, given => {
      const { taxIds: _taxIds, address: before, ...texts } = given;
      expect(readForm(formOf(detailsWith(given)), given)).toEqual({
        wanted: { ...texts, address: isEmpty(before) ? null : before },
      });
    }),
  );
});

it('leaves fields that it lacks, and tax ids that others added meanwhile', () => {
  expect(readForm({ phone: ' 1 ' }, { taxIds: [VAT] })).toEqual({ wanted: { phone: '1' } });
  expect(readForm({}, { taxIds: [VAT] })).toEqual({ wanted: {} });
  const shownWithEin = { [removalOf(EIN)]: 'on', taxIdKind: 'GB:gb_vat', taxIdValue: 'GB123456789' };
  expect(readForm(shownWithEin, { taxIds: [VAT, EIN] })).toEqual({
    wanted: { taxIds: [plain(VAT), { type: 'gb_vat', value: 'GB123456789' }] },
  });
});

it('adds a tax id once, however often it is sent', () => {
  const form = { taxIdKind: 'AT:eu_vat', taxIdValue: 'DE 123456789' };
  expect(readForm(form, { taxIds: [VAT, EIN] })).toMatchObject({
    wanted: { taxIds: [{ type: 'eu_vat' }, plain(EIN)] },
  });
});

it('names the fields that are wrong', () => {
  const taxIds = [VAT];
  expect(readForm({ city: 'Berlin' }, { taxIds })).toEqual({ problems: { country: 'chooseCountry' } });
  expect(readForm({ taxIdKind: '', taxIdValue: 'DE1' }, { taxIds })).toEqual({ problems: { taxIdKind: 'chooseKind' } });
  expect(readForm({ country: 'Germany', businessName: 'x'.repeat(151) }, { taxIds })).toEqual({
    problems: { country: 'checkField', businessName: 'checkField' },
  });
  expect(readForm({ taxIdKind: 'made up', taxIdValue: '1' }, { taxIds })).toEqual({
    problems: { taxIdValue: 'checkField' },
  });
});

it('reads any form as an update that the API takes, or says which fields are wrong', () => {
  const names = fc.constantFrom('line1', 'country', 'phone', 'taxIdKind', 'taxIdValue', 'locale', '__proto__', 'x');
  const value = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('DE', 'DE:eu_vat', '+49 1', ' '));
  fc.assert(
    fc.property(fc.dictionary(names, value), form => {
      const read = readForm(form, { taxIds: [VAT] });
      const isRight =
        'wanted' in read
          ? portalBillingDetailsUpdate.safeParse(read.wanted).success
          : Object.keys(read.problems).length > 0;
      expect(isRight).toBe(true);
    }),
  );
});
