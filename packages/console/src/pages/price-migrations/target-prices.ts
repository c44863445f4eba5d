import type { Price } from '@billing/client';

/** Returns the prices that subscriptions of a price can move to: others that are for sale, in its currency. */
export function targetsOf(recurring: readonly Price[], fromId: string): readonly Price[] {
  const from = recurring.find(({ id }) => id === fromId);
  if (!from) return [];
  return recurring.filter(
    ({ id, isActive, currency, usageType }) =>
      id !== fromId && isActive && currency === from.currency && usageType === from.usageType,
  );
}
