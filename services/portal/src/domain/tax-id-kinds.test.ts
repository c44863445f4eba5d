import { portalBillingDetailsUpdate } from '@billing/contracts/resources/billing-details';
import { PORTAL_LANGUAGES } from '@billing/contracts/resources/portal-session';
import { expect, it } from 'vitest';
import { choicesOf, COUNTRIES, namesIn } from './countries.ts';
import { TAX_ID_KINDS } from './tax-id-kinds.ts';

const EU = 'AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK'.split(' ');

it('has kinds of countries, each of which the API takes', () => {
  for (const [country, kinds] of Object.entries(TAX_ID_KINDS)) {
    expect([...COUNTRIES, 'EU']).toContain(country);
    for (const [type, example] of Object.entries(kinds)) {
      const taxIds = [{ type, value: example ?? '1' }];
      expect(portalBillingDetailsUpdate.parse({ taxIds })).toEqual({ taxIds });
    }
  }
});

it('has the VAT of every country of the European Union first, with the letters of that country', () => {
  for (const country of EU) {
    const [[type, example] = []] = Object.entries(TAX_ID_KINDS[country] ?? {});
    expect([country, type]).toEqual([country, 'eu_vat']);
    expect(example?.slice(0, 2)).toBe(country === 'GR' ? 'EL' : country);
  }
});

it.each(PORTAL_LANGUAGES)('names every country, in the order of the language: %s', language => {
  const names = choicesOf(COUNTRIES, '', namesIn(language, 'region'), language).map(({ name }) => name);
  expect(new Set(names).size).toBe(249);
  expect(names.filter(name => /^[A-Z]{2}$/.test(name))).toEqual([]);
  expect(names.toSorted(new Intl.Collator(language).compare)).toEqual(names);
});

it('keeps what is set already among the choices', () => {
  const nameOf = namesIn('en', 'region');
  expect(choicesOf(['DE'], 'XK', nameOf, 'en')).toEqual([
    { value: 'DE', name: 'Germany' },
    { value: 'XK', name: 'Kosovo' },
  ]);
  expect(choicesOf(['DE'], 'Atlantis', nameOf, 'en').map(({ name }) => name)).toEqual(['Atlantis', 'Germany']);
});
