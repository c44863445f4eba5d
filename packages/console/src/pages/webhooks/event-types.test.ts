import { EVENT_TYPES } from '@billing/client';
import { expect, it } from 'vitest';
import { describeTypes, FAMILIES } from './event-types.ts';

it('offers each type once, under what it is about', () => {
  expect(FAMILIES.flatMap(({ types }) => types)).toEqual(EVENT_TYPES);
  expect(FAMILIES.find(({ all }) => all === 'referral_code.*')).toEqual({
    all: 'referral_code.*',
    name: 'Referral code',
    types: ['referral_code.created', 'referral_code.deactivated'],
  });
});

it.each([
  [['*'], 'All events'],
  [['invoice.paid', '*'], 'All events'],
  [['invoice.*'], 'invoice.*'],
  [['invoice.*', 'payment.failed', 'customer.deleted'], 'invoice.* and 2 more'],
])('describes %j as %s', (eventTypes, words) => {
  expect(describeTypes(eventTypes)).toBe(words);
});
