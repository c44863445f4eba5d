import fc from 'fast-check';
import { expect, it } from 'vitest';
import { MOVEMENTS } from './metrics.ts';
import { revenueHistory, type MovementTerm } from './revenue-history.ts';
import { addDays } from './utc-day.ts';
import { lastSpans } from './window.ts';

const TODAY = '2028-03-01';

/** Movements of whole minor units, so that rounding changes nothing; also before the first day and after today. */
const movements = fc.array(
  fc.record({
    movement: fc.constantFrom(...MOVEMENTS),
    day: fc.integer({ min: -12, max: 2 }).map(days => addDays(TODAY, days)),
    amount: fc.integer({ min: 1, max: 1_000 }),
  }),
  { maxLength: 40 },
);

it('has in each span the revenue of the one before plus its movements', () => {
  fc.assert(
    fc.property(movements, fc.integer({ min: 1, max: 12 }), fc.nat(3), (drawn, step, daysAgo) => {
      const terms = drawn.map(({ movement, day, amount }): MovementTerm => {
        const sign = movement === 'contraction' || movement === 'churned' ? -1n : 1n;
        return { movement, day, currency: 'usd', divisor: 1, numerator: sign * BigInt(amount) * 12n };
      });
      const spans = lastSpans(addDays(TODAY, -daysAgo), 10, step);
      const history = revenueHistory(spans, TODAY, terms, terms);
      let before = terms
        .filter(({ day }) => day < (spans[0]?.from ?? ''))
        .reduce((sum, { numerator }) => sum + Number(numerator / 12n), 0);
      for (const day of history) {
        const { mrr, newMrr, expansionMrr, reactivatedMrr, contractionMrr, churnedMrr, netMrr } = day;
        expect(mrr).toBe(before + newMrr + expansionMrr + reactivatedMrr - contractionMrr - churnedMrr);
        expect(netMrr).toBe(mrr - before);
        expect(Math.min(newMrr, expansionMrr, reactivatedMrr, contractionMrr, churnedMrr)).toBeGreaterThanOrEqual(0);
        before = mrr;
      }
    }),
  );
});
