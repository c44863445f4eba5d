import { expect, it } from 'vitest';
import { itemTerms } from '#record/subscription.rules';
import { aPrice, aSnapshot } from '../../test/snapshots.ts';
import { decideMigration, movableOf, skipReason, type Movable } from './price-migration.rules.ts';

const FROM = aPrice({ id: 'price_from' });

const aMovable = (changes: Partial<Movable> = {}): Movable => ({
  status: 'active',
  isPaused: false,
  items: [{ processorPriceId: FROM.id }],
  cancelAtPeriodEnd: false,
  cancelAt: null,
  schedule: null,
  isPending: false,
  ...changes,
});

it.each<[ReturnType<typeof skipReason>, Partial<Movable>]>([
  [null, {}],
  [null, { status: 'trialing' }],
  ['ended', { status: 'canceled' }],
  ['left_price', { items: [{ processorPriceId: 'price_other' }] }],
  ['several_items', { items: [{ processorPriceId: FROM.id }, { processorPriceId: 'price_other' }] }],
  ['incomplete', { status: 'incomplete' }],
  ['past_due', { status: 'past_due' }],
  ['past_due', { status: 'unpaid' }],
  ['paused', { status: 'paused' }],
  ['paused', { isPaused: true }],
  ['has_schedule', { schedule: 'foreign' }],
  ['has_pending_change', { isPending: true }],
  ['has_scheduled_change', { schedule: 'planned' }],
  ['set_to_cancel', { cancelAtPeriodEnd: true }],
  ['set_to_cancel', { cancelAt: new Date() }],
])('says %j of %j', (reason, changes) => {
  expect(skipReason(aMovable(changes), FROM.id)).toBe(reason);
});

it('reads the same from what the processor has', () => {
  const item = { id: 'si_1', price: FROM, quantity: 1, amount: FROM, discounts: [] };
  const snapshot = aSnapshot({ items: [item] });
  expect(movableOf(snapshot)).toEqual(aMovable());
  expect(movableOf({ ...snapshot, scheduleId: 'sub_sched_1' })).toEqual(aMovable({ schedule: 'foreign' }));
  expect(movableOf({ ...snapshot, pauseCollection: { behavior: 'void', resumesAt: null } })).toMatchObject({
    isPaused: true,
  });
});

const END = new Date('2026-05-01T00:00:00Z');

/** Decides on a subscription of so many of a price in US dollars. */
const decide = (to: Parameters<typeof aPrice>[0], quantity = 1, from = FROM) => {
  const terms = itemTerms({ price: from, quantity, amount: from }, 'usd');
  const record = { ...aMovable(), items: [{ ...terms, priceId: null }], currentPeriodEnd: END };
  return decideMigration(record, { fromProcessorPriceId: from.id, to: aPrice({ id: 'price_to', ...to }) });
};

it.each([
  ['the quantity stays', decide({ unitAmount: 1_250 }, 3), { oldAmount: '3000', newAmount: '3750' }],
  [
    'a year is twelve months, exactly',
    decide({ unitAmount: 10_000, interval: 'year' }),
    { newAmount: '833.333333333333333334' },
  ],
  ['usage has no amount', decide({ metered: true }), { outcome: 'to_change', newAmount: null }],
  ['tiers have none', decide({}, 1, aPrice({ ...FROM, billingScheme: 'tiered' })), { oldAmount: null }],
  [
    'another currency is skipped',
    decide({ currency: 'eur' }),
    { outcome: 'skipped', reason: 'other_currency', newAmount: null, effectiveAt: null, oldAmount: '1000' },
  ],
  [
    'a price may be sold in several',
    decide({
      currency: 'eur',
      currencyOptions: new Map([['usd', { unitAmount: 700, unitAmountDecimal: null }]]),
    }),
    { outcome: 'to_change', newAmount: '700', currency: 'usd', effectiveAt: END },
  ],
])('%s', (_, decision, expected) => {
  expect(decision).toMatchObject(expected);
});
