import type { SubscriptionState } from '@billing/contracts/events/subscriptions';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mergeRevenuePeriods, movementContributions, revenuePeriodOf, type RevenuePeriod } from './revenue-periods.ts';

const STARTED_AT = '2027-12-31T23:59:59.999Z';

/** A version of a subscription of `amount` minor units a month, recorded at `at`. */
function version(number: number, amount: number, at: string, changes: Partial<SubscriptionState> = {}): RevenuePeriod {
  const item = {
    processorPriceId: 'price_1',
    priceId: null,
    currency: 'usd',
    interval: 'month' as const,
    billingScheme: 'per_unit' as const,
    transformQuantity: null,
  };
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
    cancelAt: null,
    canceledAt: null,
    pauseCollection: null,
    items: [
      { ...item, unitAmount: amount, unitAmountDecimal: `${amount}`, intervalCount: 1, quantity: 1, metered: false },
    ],
    currentPeriodStart: new Date(STARTED_AT),
    currentPeriodEnd: new Date(STARTED_AT),
    trialEnd: null,
    startedAt: new Date(STARTED_AT),
    endedAt: null,
    version: number,
    createdAt: new Date(STARTED_AT),
    ...changes,
  };
  return revenuePeriodOf(state, new Date(at));
}

/** The movements as `<reason> <day> <minor units>`. */
const movements = (...versions: RevenuePeriod[]) =>
  movementContributions(mergeRevenuePeriods([], versions)).map(
    ({ metric, bucket, amount }) => `${metric.split(':')[1]} ${bucket} ${amount / 12n}`,
  );

describe('revenue movements', () => {
  it('are new on the day the subscription started, however late its event is', () => {
    expect(movements(version(1, 100, '2028-01-04T00:00:00Z'))).toEqual(['new 2027-12-31 100']);
  });

  it('are expansion and contraction on the day the version was recorded', () => {
    expect(
      movements(
        version(1, 100, STARTED_AT),
        version(2, 150, '2028-02-29T23:59:59.999Z'),
        version(3, 120, '2028-03-01T00:00:00.000Z'),
      ),
    ).toEqual(['new 2027-12-31 100', 'expansion 2028-02-29 50', 'contraction 2028-03-01 -30']);
  });

  it('are contraction when past due, and reactivated when paid again', () => {
    expect(
      movements(
        version(1, 100, STARTED_AT),
        version(2, 100, '2028-02-01T00:00:00Z', { status: 'past_due' }),
        version(3, 100, '2028-02-03T00:00:00Z'),
      ),
    ).toEqual(['new 2027-12-31 100', 'contraction 2028-02-01 -100', 'reactivated 2028-02-03 100']);
  });

  it('are reactivated with the whole amount when it comes back higher, and expansion from there', () => {
    expect(
      movements(
        version(1, 100, STARTED_AT),
        version(2, 100, '2028-02-01T00:00:00Z', { status: 'paused' }),
        version(3, 150, '2028-02-03T00:00:00Z'),
        version(4, 170, '2028-02-04T00:00:00Z'),
      ),
    ).toEqual([
      'new 2027-12-31 100',
      'contraction 2028-02-01 -100',
      'reactivated 2028-02-03 150',
      'expansion 2028-02-04 20',
    ]);
  });

  it('are churned on the day of the end, not of the event', () => {
    const ended = { status: 'canceled' as const, endedAt: new Date('2028-02-29T00:00:00Z') };
    expect(movements(version(1, 100, STARTED_AT), version(2, 100, '2028-03-07T00:00:00Z', ended))).toEqual([
      'new 2027-12-31 100',
      'churned 2028-02-29 -100',
    ]);
  });

  it('are new and churned of a subscription that is first known as canceled', () => {
    const ended = { status: 'canceled' as const, endedAt: new Date('2028-02-29T00:00:00Z') };
    expect(movements(version(1, 100, '2028-03-07T00:00:00Z', ended))).toEqual([
      'new 2027-12-31 100',
      'churned 2028-02-29 -100',
    ]);
    const never = { status: 'incomplete_expired' as const, endedAt: new Date('2028-01-01T00:00:00Z') };
    expect(movements(version(1, 100, '2028-03-07T00:00:00Z', never))).toEqual([]);
  });

  it('are new on the day of the first payment if the subscription started incomplete', () => {
    expect(
      movements(version(1, 100, STARTED_AT, { status: 'incomplete' }), version(2, 100, '2028-01-01T00:00:00Z')),
    ).toEqual(['new 2028-01-01 100']);
  });

  it('are none for a version with the same revenue', () => {
    expect(movements(version(1, 100, STARTED_AT), version(2, 100, '2028-01-05T00:00:00Z'))).toEqual([
      'new 2027-12-31 100',
    ]);
  });
});

const versions = fc
  .array(fc.constantFrom(0, 100, 200), { minLength: 1, maxLength: 12 })
  .map(amounts =>
    amounts.map((amount, index) =>
      version(index + 1, amount, new Date(Date.parse(STARTED_AT) + index * 3_600_000).toISOString()),
    ),
  );

it('names a rise from none new at first and reactivated later, and any other rise expansion', () => {
  fc.assert(
    fc.property(versions, all => {
      const amounts = all.map(({ revenue }) => (revenue[0]?.numerator ?? 0n) / 12n);
      const sums = new Map<string, bigint>();
      for (const [index, amount] of amounts.entries()) {
        const before = amounts[index - 1] ?? 0n;
        const hadSome = amounts.slice(0, index).some(earlier => earlier > 0n);
        const rise = before > 0n ? 'expansion' : hadSome ? 'reactivated' : 'new';
        const name = amount > before ? rise : 'contraction';
        if (amount !== before) sums.set(name, (sums.get(name) ?? 0n) + amount - before);
      }
      const moved = Map.groupBy(
        movementContributions(mergeRevenuePeriods([], all)),
        ({ metric }) => metric.split(':')[1],
      );
      const total = (name: string) => (moved.get(name) ?? []).reduce((sum, { amount }) => sum + amount / 12n, 0n);
      expect([...sums].map(([name, sum]) => [name, total(name), sum])).toEqual(
        [...sums].map(([name, sum]) => [name, sum, sum]),
      );
      expect(moved.size).toBe(sums.size);
    }),
  );
});

describe('merged revenue periods', () => {
  it('are the same for any order and repetition of the versions', () => {
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
        let periods: readonly RevenuePeriod[] = [];
        for (const one of disordered) periods = mergeRevenuePeriods(periods, [one]);
        expect(periods).toEqual(mergeRevenuePeriods([], inOrder));
      }),
    );
  });

  it('are one per change of revenue, with movements that add up to the last revenue', () => {
    fc.assert(
      fc.property(versions, all => {
        const periods = mergeRevenuePeriods([], all);
        const amounts = all.map(({ revenue }) => revenue[0]?.numerator ?? 0n);
        expect(periods).toHaveLength(
          amounts.filter((amount, index) => index === 0 || amount !== amounts[index - 1]).length,
        );
        expect(movementContributions(periods).reduce((sum, { amount }) => sum + amount, 0n)).toBe(amounts.at(-1));
      }),
    );
  });
});
