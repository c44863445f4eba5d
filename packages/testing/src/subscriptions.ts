import { UNTAXED } from '@billing/contracts/resources/subscription';
import type { BilledItem, SubscriptionChange } from '@billing/contracts/events/subscriptions';
import { CustomerId, SubscriptionId, type ProjectId } from '@billing/contracts/ids';

/** An item of 29.99 USD a month. */
export const ITEM: BilledItem = {
  processorPriceId: 'price_1',
  processorProductId: 'prod_1',
  priceId: null,
  unitAmount: 2_999,
  unitAmountDecimal: null,
  billingScheme: 'per_unit',
  currency: 'usd',
  interval: 'month',
  intervalCount: 1,
  quantity: 1,
  transformQuantity: null,
  metered: false,
};

/** Returns a new active subscription that starts at a time and bills `ITEM`, of which nothing was shown, unless changed. */
export const subscriptionChange = (
  projectId: ProjectId,
  startedAt: Date,
  changes: Partial<SubscriptionChange> = {},
): SubscriptionChange => ({
  id: SubscriptionId.create(),
  projectId,
  customerId: CustomerId.create(),
  processorSubscriptionId: 'sub_1',
  processorCustomerId: 'cus_1',
  priceId: null,
  status: 'active',
  quantity: 1,
  cancelAtPeriodEnd: false,
  cancelAt: null,
  canceledAt: null,
  cancellation: null,
  involuntary: false,
  testClockId: null,
  pauseCollection: null,
  tax: UNTAXED,
  discounts: [],
  scheduledChange: null,
  pendingChange: null,
  metadata: {},
  items: [ITEM],
  currentPeriodStart: startedAt,
  currentPeriodEnd: startedAt,
  trialEnd: null,
  startedAt,
  endedAt: null,
  shown: [],
  observedAt: startedAt,
  version: 1,
  createdAt: startedAt,
  updatedAt: startedAt,
  ...changes,
});
