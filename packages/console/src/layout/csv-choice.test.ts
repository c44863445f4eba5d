import { expect, it } from 'vitest';
import { CSV_CHOICES, usualCsv } from './csv-choice.ts';

it.each([
  ['en-US', 'comma'],
  ['en-GB', 'comma'],
  ['ja', 'comma'],
  ['de', 'semicolon'],
  ['de-CH', 'comma'],
  ['fr', 'semicolon'],
  ['pt-BR', 'semicolon'],
  ['sv', 'semicolon'],
])('has for %s what its spreadsheets split and read: %s', (locale, choice) => {
  expect(usualCsv(locale)).toBe(choice);
});

it('never separates values by the mark of decimals', () => {
  for (const { separator, decimalMark } of Object.values(CSV_CHOICES)) expect(separator).not.toBe(decimalMark);
});
