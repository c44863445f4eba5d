import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { latestStep, latestTarget, targetOf, type ClockedSubscription } from './advance.rules.ts';

const at = (text: string) => new Date(`${text}T12:00:00.000Z`);
const price = (interval: 'day' | 'week' | 'month' | 'year' | null, intervalCount = 1) => ({
  price: { interval, intervalCount },
});
const subscription = (changes: Partial<ClockedSubscription> = {}): ClockedSubscription => ({
  status: 'active',
  currentPeriodEnd: at('2030-02-28'),
  trialEnd: null,
  cancelAt: null,
  items: [price('month')],
  ...changes,
});

describe('a step', () => {
  it.each([
    [[], '2032-01-31'],
    [[subscription()], '2030-03-31'],
    [[subscription(), subscription({ items: [price('day')] })], '2030-02-02'],
    [[subscription({ items: [price('year'), price('week')] })], '2030-02-14'],
    [[subscription({ items: [price('month', 3)] })], '2030-07-31'],
    [[subscription({ items: [price(null)] })], '2032-01-31'],
  ])('goes two of the shortest intervals ahead, or two years', (subscriptions, expected) => {
    expect(latestStep(at('2030-01-31'), subscriptions)).toEqual(at(expected));
  });

  it('stays within a month that is shorter', () => {
    expect(latestStep(at('2029-12-31'), [subscription()])).toEqual(at('2030-02-28'));
    expect(latestTarget(at('2028-02-29'))).toEqual(at('2030-02-28'));
  });

  it('is always ahead, so that steps come to any target', () => {
    const day = fc.date({ min: at('2020-01-01'), max: at('2040-01-01'), noInvalidDate: true });
    const interval = fc.constantFrom('day', 'week', 'month', 'year' as const);
    fc.assert(
      fc.property(day, interval, fc.integer({ min: 1, max: 12 }), (time, name, count) => {
        const next = latestStep(time, [subscription({ items: [price(name, count)] })]);
        expect(next.getTime()).toBeGreaterThan(time.getTime());
        expect(next.getTime()).toBeLessThanOrEqual(latestTarget(time).getTime());
      }),
    );
  });
});

describe('a target', () => {
  const find = (until: Parameters<typeof targetOf>[0], subscriptions: ClockedSubscription[], drafts: Date[] = []) =>
    targetOf(until, { time: at('2030-01-31'), subscriptions, drafts });

  it('is the first end of a period that brings an invoice', () => {
    const later = subscription({ currentPeriodEnd: at('2030-06-30') });
    expect(find('next_invoice', [later, subscription()])).toEqual(at('2030-02-28'));
    expect(find('next_invoice', [subscription({ cancelAt: at('2030-02-28') }), later])).toEqual(at('2030-06-30'));
    expect(find('next_invoice', [subscription({ status: 'unpaid' })])).toBeNull();
  });

  it('is when a draft is finalized that is there already', () => {
    expect(find('next_invoice', [subscription()], [at('2030-02-01'), at('2030-01-30')])).toEqual(at('2030-02-01'));
  });

  it('is the first end of a trial, or of any period', () => {
    const trial = subscription({ status: 'trialing', trialEnd: at('2030-02-14') });
    expect(find('trial_end', [subscription(), trial])).toEqual(at('2030-02-14'));
    expect(find('trial_end', [subscription({ trialEnd: at('2030-02-14') })])).toBeNull();
    expect(find('period_end', [subscription({ cancelAt: at('2030-02-28') })])).toEqual(at('2030-02-28'));
  });

  it('is none where everything has ended or is behind', () => {
    expect(find('period_end', [subscription({ status: 'canceled' })])).toBeNull();
    expect(find('period_end', [subscription({ currentPeriodEnd: at('2030-01-31') })])).toBeNull();
  });
});
