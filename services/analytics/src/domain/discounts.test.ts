import { toDecimalText } from '@billing/contracts/decimal-text';
import type { BilledDiscount } from '@billing/contracts/events/subscriptions';
import { describe, expect, it } from 'vitest';
import { discount as aDiscount, item as anItem } from '../../test/states.ts';
import { discountContributions, discountedRevenue } from './discounts.ts';

const item = { ...anItem, unitAmount: 3_000 };
const yearly = { ...item, unitAmount: 12_000, interval: 'year' as const };
const other = { ...item, unitAmount: 1_000, processorProductId: 'prod_2' };

const discount = (changes: Partial<BilledDiscount>): BilledDiscount => ({ ...aDiscount, ...changes });
const half = discount({ percentOff: 50 });
const five = discount({ amountOff: 500, currency: 'usd' });
const ofSecond = { level: 'item' as const, itemIndex: 1 };
const until = (time: string) =>
  discount({ percentOff: 50, duration: 'repeating', endsAt: new Date(`${time}T12:00:00Z`) });

describe('revenue after discounts', () => {
  it.each([
    ['half', [item], [half], '1500'],
    ['a third, exactly', [item], [discount({ percentOff: 33.33 })], '2000.1'],
    ['an amount of each invoice', [item], [five], '2500'],
    ['an amount of one invoice a year', [yearly], [five], '958.333333333333333334'],
    ['an amount of the most frequent invoice', [item, yearly], [five], '3500'],
    ['no more than there is', [item], [discount({ amountOff: 9_999, currency: 'usd' })], '0'],
    ['nothing for another currency', [item], [discount({ amountOff: 500, currency: 'eur' })], '3000'],
    ['nothing for a single invoice', [item], [discount({ percentOff: 50, duration: 'once' })], '3000'],
    ['nothing where only the coupon’s id is known', [item], [discount({ duration: null })], '3000'],
    ['only the products of the coupon', [item, other], [{ ...half, processorProductIds: ['prod_2'] }], '3500'],
    ['nothing for products that it does not have', [item], [{ ...five, processorProductIds: ['prod_2'] }], '3000'],
    ['of one item only', [item, other], [{ ...half, ...ofSecond }], '3500'],
    ['of one of two alike only', [item, item], [{ ...five, ...ofSecond }], '5500'],
    ['of an item first, then of all', [item, other], [{ ...half, ...ofSecond }, half], '1750'],
    [
      'an amount of an item, at most what it costs',
      [item, other],
      [{ ...five, ...ofSecond, amountOff: 9_999 }],
      '3000',
    ],
    ['one after the other', [item], [half, five], '1000'],
    ['one after the other, in their order', [item], [five, half], '1250'],
    [
      'an amount of all items in proportion',
      [item, other],
      [five, { ...half, processorProductIds: ['prod_2'] }],
      '3062.5',
    ],
    ['everything', [item], [discount({ percentOff: 100 }), five], '0'],
  ])('takes off %s', (_what, items, discounts, expected) => {
    expect(toDecimalText(discountedRevenue({ items, discounts }, '2026-03-31'))).toBe(expected);
  });

  it.each([
    ['2026-04-30', '3000'],
    ['2026-05-01', '1500'],
  ])('counts a discount until %s while that is over a month away', (end, expected) => {
    expect(toDecimalText(discountedRevenue({ items: [item], discounts: [until(end)] }, '2026-03-31'))).toBe(expected);
  });

  it('falls by contributions that end with the discounts', () => {
    const discounts = [until('2026-05-31'), until('2026-08-01'), five];
    expect(discountContributions({ items: [item], discounts })).toEqual([
      { metric: 'discount:usd:1', bucket: '', amount: 500n },
      { metric: 'ending-discount:usd:1', bucket: '2026-07-01', amount: 1_500n },
      { metric: 'ending-discount:usd:1', bucket: '2026-04-30', amount: 750n },
    ]);
  });
});
