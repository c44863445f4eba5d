import type { SubscriptionState } from '@billing/contracts/events/subscriptions';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chapterOf, sharesOfMovements, withVersions, type Chapter } from './chapters.ts';

const BEGAN = '2027-12-31T23:59:59.999Z';

/** A version of a subscription of `amount` minor units a month, recorded at `at`. */
function version(number: number, amount: number, at: string, changes: Partial<SubscriptionState> = {}): Chapter {
  const item = { processorPriceId: 'price_1', priceId: null, currency: 'usd', interval: 'month' as const };
  const state: SubscriptionState = {
    id: 'ps_000000000000000000000001',
    projectId: 'proj_000000000000000000000001',
    customerId: 'pc_000000000000000000000001',
    processorSubscriptionId: 'sub_1',
    processorCustomerId: 'cus_1',
    priceId: null,
    status: 'active',
    quantity: 1,
    cancelAtPeriodEnd: false,
    items: [{ ...item, unitAmount: amount, intervalCount: 1, quantity: 1, metered: false }],
    currentPeriodStart: new Date(BEGAN),
    currentPeriodEnd: new Date(BEGAN),
    trialEnd: null,
    startedAt: new Date(BEGAN),
    endedAt: null,
    version: number,
    createdAt: new Date(BEGAN),
    ...changes,
  };
  return chapterOf(state, new Date(at));
}

/** The movements as `<why> <day> <minor units>`. */
const told = (...versions: Chapter[]) =>
  sharesOfMovements(withVersions([], versions)).map(
    ({ figure, day, amount }) => `${figure.split(':')[1]} ${day} ${amount / 12n}`,
  );

describe('what moved revenue', () => {
  it('is new on the day a subscription began, however late it is heard of', () => {
    expect(told(version(1, 100, '2028-01-04T00:00:00Z'))).toEqual(['new 2027-12-31 100']);
  });

  it('is expansion and contraction on the day that was recorded', () => {
    expect(
      told(
        version(1, 100, BEGAN),
        version(2, 150, '2028-02-29T23:59:59.999Z'),
        version(3, 120, '2028-03-01T00:00:00.000Z'),
      ),
    ).toEqual(['new 2027-12-31 100', 'expansion 2028-02-29 50', 'contraction 2028-03-01 -30']);
  });

  it('is contraction while it is past due, and expansion once it is paid', () => {
    expect(
      told(
        version(1, 100, BEGAN),
        version(2, 100, '2028-02-01T00:00:00Z', { status: 'past_due' }),
        version(3, 100, '2028-02-03T00:00:00Z'),
      ),
    ).toEqual(['new 2027-12-31 100', 'contraction 2028-02-01 -100', 'expansion 2028-02-03 100']);
  });

  it('is churned on the day of the end, not of the news of it', () => {
    const ended = { status: 'canceled' as const, endedAt: new Date('2028-02-29T00:00:00Z') };
    expect(told(version(1, 100, BEGAN), version(2, 100, '2028-03-07T00:00:00Z', ended))).toEqual([
      'new 2027-12-31 100',
      'churned 2028-02-29 -100',
    ]);
  });

  it('is new on the day of the payment for one that began incomplete', () => {
    expect(told(version(1, 100, BEGAN, { status: 'incomplete' }), version(2, 100, '2028-01-01T00:00:00Z'))).toEqual([
      'new 2028-01-01 100',
    ]);
  });

  it('is nothing where a version changes no revenue', () => {
    expect(told(version(1, 100, BEGAN), version(2, 100, '2028-01-05T00:00:00Z'))).toEqual(['new 2027-12-31 100']);
  });
});

describe('the chapters', () => {
  const amounts = fc.array(fc.constantFrom(0, 100, 200), { minLength: 1, maxLength: 12 });
  const versions = amounts.map(all =>
    all.map((amount, index) =>
      version(index + 1, amount, new Date(Date.parse(BEGAN) + index * 3_600_000).toISOString()),
    ),
  );

  it('are the same for every order of the versions, told once or again', () => {
    const shuffled = versions.chain(all =>
      fc.record({
        inOrder: fc.constant(all),
        disordered: fc
          .array(fc.constantFrom(...all), { maxLength: 5 })
          .chain(again => fc.shuffledSubarray([...all, ...again], { minLength: all.length + again.length })),
      }),
    );
    fc.assert(
      fc.property(shuffled, ({ inOrder, disordered }) => {
        let chapters: readonly Chapter[] = [];
        for (const one of disordered) chapters = withVersions(chapters, [one]);
        expect(chapters).toEqual(withVersions([], inOrder));
      }),
    );
  });

  it('are as many as revenue changed, and their movements add up to what the last is worth', () => {
    fc.assert(
      fc.property(versions, all => {
        const chapters = withVersions([], all);
        const worths = all.map(({ worth }) => worth[0]?.numerator ?? 0n);
        expect(chapters).toHaveLength(
          worths.filter((worth, index) => index === 0 || worth !== worths[index - 1]).length,
        );
        expect(sharesOfMovements(chapters).reduce((sum, { amount }) => sum + amount, 0n)).toBe(worths.at(-1));
      }),
    );
  });
});
