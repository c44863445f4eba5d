import { expect, it } from 'vitest';
import { formatCardExpiry, hasCardExpired } from './card.ts';
import { formatDate, formatPeriod } from './dates.ts';
import { firstLetter } from './text.ts';

it('formats days in UTC and in the order of the locale', () => {
  const lateEvening = new Date('2026-11-20T23:59:59Z');
  expect(formatDate(lateEvening, 'en-US')).toBe('Nov 20, 2026');
  expect(formatDate(lateEvening, 'de')).toBe('20.11.2026');
});

it('formats a period as the locale does, whichever day comes first', () => {
  const [start, end] = [new Date('2026-11-20T00:00:00Z'), new Date('2026-12-20T00:00:00Z')];
  const spaced = (text: string) => text.replaceAll(/\s/g, ' ');
  expect(spaced(formatPeriod(start, end, 'en-US'))).toBe('Nov 20 – Dec 20, 2026');
  expect(formatPeriod(start, start, 'en-US')).toBe('Nov 20, 2026');
});

it.each([
  ['acme', 'A'],
  ['  Ωmega', 'Ω'],
  ['👩‍🚀 space', '👩‍🚀'],
  ['عميل', 'ع'],
  ['', ''],
])('returns the first letter of %j as %j', (name, letter) => {
  expect(firstLetter(name)).toBe(letter);
});

it('formats the expiry of a card', () => {
  expect(formatCardExpiry({ expMonth: 8, expYear: 2027 }, 'en-US')).toBe('08/2027');
});

it('keeps a card valid until the last day of its month', () => {
  const card = { expMonth: 12, expYear: 2026 };
  expect(hasCardExpired(card, new Date('2026-12-31T23:59:59Z'))).toBe(false);
  expect(hasCardExpired(card, new Date('2027-01-01T00:00:00Z'))).toBe(true);
});
