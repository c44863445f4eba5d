import { expect, it } from 'vitest';
import { later } from './duration.rules.ts';

it.each([
  ['2 hours', '2030-01-31T14:30:00.000Z'],
  ['1 day', '2030-02-01T12:30:00.000Z'],
  ['2 weeks', '2030-02-14T12:30:00.000Z'],
  ['1 month', '2030-02-28T12:30:00.000Z'],
  ['2 months', '2030-03-31T12:30:00.000Z'],
  ['13 months', '2031-02-28T12:30:00.000Z'],
  ['2 years', '2032-01-31T12:30:00.000Z'],
])('goes %s on', (duration, expected) => {
  expect(later(new Date('2030-01-31T12:30:00Z'), duration).toISOString()).toBe(expected);
});
