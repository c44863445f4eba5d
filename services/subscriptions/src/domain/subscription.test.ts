import { describe, expect, it } from 'vitest';
import type { SubscriptionSnapshot } from '@billing/processor/port';
import { readTerms, requireRunning } from './subscription.ts';

const at = (day: number) => new Date(Date.UTC(2026, 10, day));
const snapshot = (changes: Partial<SubscriptionSnapshot> = {}): SubscriptionSnapshot => ({
  id: 'sub_1',
  customerId: 'cus_1',
  status: 'active',
  cancelAtPeriodEnd: false,
  cancelAt: null,
  items: [],
  currentPeriodStart: at(1),
  currentPeriodEnd: at(30),
  startedAt: at(1),
  trialEnd: null,
  endedAt: null,
  defaultPaymentMethodId: null,
  metadata: {},
  createdAt: at(1),
  ...changes,
});
const read = (changes: Partial<SubscriptionSnapshot>) =>
  readTerms(snapshot(changes), { seenAt: at(9), known: undefined });

describe('a subscription', () => {
  it('that has ended can be neither scheduled nor resumed nor canceled', () => {
    for (const status of ['canceled', 'incomplete_expired'] as const) {
      expect(() => requireRunning(status)).toThrow(
        expect.objectContaining({ code: 'subscription_ended', status: 422 }),
      );
    }
    for (const status of ['active', 'trialing', 'past_due', 'unpaid', 'incomplete', 'paused'] as const) {
      expect(() => requireRunning(status)).not.toThrow();
    }
  });

  it('ended when the processor says, or else when it said so', () => {
    expect(read({ status: 'canceled', endedAt: at(5) })?.endedAt).toEqual(at(5));
    expect(read({ status: 'canceled' })?.endedAt).toEqual(at(9));
    expect(read({ status: 'active' })?.endedAt).toBeNull();
  });

  it('that was canceled before its time did not end with its period', () => {
    const scheduled = { status: 'canceled', cancelAtPeriodEnd: true, cancelAt: at(30) } as const;
    expect(read({ ...scheduled, endedAt: at(5) })).toMatchObject({ cancelAtPeriodEnd: false, cancelAt: null });
    expect(read({ ...scheduled, endedAt: at(30) })).toMatchObject({ cancelAtPeriodEnd: true, cancelAt: at(30) });
  });

  it('has no face value where the price has no whole amount', () => {
    const price = {
      id: 'price_1',
      productId: 'prod_1',
      unitAmount: 0.5,
      currency: 'usd',
      type: 'recurring',
      interval: 'month',
      intervalCount: 1,
      metered: false,
      isActive: true,
      metadata: {},
      createdAt: at(1),
    } as const;
    expect(read({ items: [{ id: 'si_1', price, quantity: 2 }] })?.items).toMatchObject([
      { unitAmount: null, quantity: 2 },
    ]);
  });

  it('is not read while its status is unknown and there is none to keep', () => {
    expect(read({ status: null })).toBeNull();
    expect(readTerms(snapshot({ status: null }), { seenAt: at(9), known: 'past_due' })?.status).toBe('past_due');
  });
});
