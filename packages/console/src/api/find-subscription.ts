import type { Subscription } from '@billing/client';
import { findTogether, MAX_IDS } from './find-together.ts';

/** Finds a subscription, whatever its status. */
export const findSubscription = findTogether<Subscription>(
  async ({ billing }, ids) =>
    (await billing.subscriptions.list({ ids: [...ids], activeOnly: false, limit: MAX_IDS }).page()).items,
);
