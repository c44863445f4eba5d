import { describe, expect, it } from 'vitest';
import type { SubscriptionSnapshot } from '@billing/processor/port';
import { aPrice, aSnapshot } from '../../test/snapshots.ts';
import { readTerms, recordedAmount, requireRunning } from './subscription.rules.ts';

const at = (day: number) => new Date(Date.UTC(2026, 10, day));
const snapshot = (changes: Partial<SubscriptionSnapshot>) => aSnapshot({ currentPeriodEnd: at(30), ...changes });
const read = (changes: Partial<SubscriptionSnapshot>) => readTerms(snapshot(changes), { observedAt: at(9) });

describe('requireRunning', () => {
  it.each(['canceled', 'incomplete_expired'] as const)('rejects a subscription that is %s', status => {
    expect(() => requireRunning(status)).toThrow(expect.objectContaining({ code: 'subscription_ended', status: 422 }));
  });

  it.each(['active', 'trialing', 'past_due', 'unpaid', 'incomplete', 'paused'] as const)('accepts %s', status => {
    expect(() => requireRunning(status)).not.toThrow();
  });
});

describe('readTerms', () => {
  it('takes the time of the end from the processor, else that of the observation', () => {
    expect(read({ status: 'canceled', endedAt: at(5) }).endedAt).toEqual(at(5));
    expect(read({ status: 'canceled' }).endedAt).toEqual(at(9));
    expect(read({ status: 'active' }).endedAt).toBeNull();
  });

  it('ignores a scheduled end when the subscription ended before it', () => {
    const scheduled = { status: 'canceled', cancelAtPeriodEnd: true, cancelAt: at(30) } as const;
    expect(read({ ...scheduled, endedAt: at(5) })).toMatchObject({ cancelAtPeriodEnd: false, cancelAt: null });
    expect(read({ ...scheduled, endedAt: at(30) })).toMatchObject({ cancelAtPeriodEnd: true, cancelAt: at(30) });
  });

  const price = aPrice();

  it('has the amount of each item in the subscription’s currency', () => {
    const amount = { unitAmount: null, unitAmountDecimal: '27.5' };
    const items = [{ id: 'si_1', price, quantity: 2, amount, discounts: [] }];
    expect(read({ currency: 'eur', items }).items).toMatchObject([{ ...amount, currency: 'eur', quantity: 2 }]);
  });

  it('knows the recorded amount of an item in the same currency only', () => {
    const amount = { unitAmount: 2_800, unitAmountDecimal: '2800' };
    const item = { id: 'si_1', price, quantity: 2, amount, discounts: [] };
    const { items } = read({ currency: 'eur', items: [item] });
    expect(recordedAmount(items, { price }, 'eur')).toEqual(item.amount);
    expect(recordedAmount(items, { price }, 'gbp')).toBeUndefined();
    expect(recordedAmount(items, { price: { ...price, id: 'price_2' } }, 'eur')).toBeUndefined();
  });

  it('keeps the recorded status when the new one is unknown, else throws', () => {
    expect(() => read({ status: null })).toThrow('sub_1 has a status');
    const options = { observedAt: at(9), recorded: { status: 'past_due', schedule: null, discounts: [] } } as const;
    expect(readTerms(snapshot({ status: null }), options).status).toBe('past_due');
  });
});
