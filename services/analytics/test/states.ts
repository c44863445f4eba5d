import type { CustomerState } from '@billing/contracts/events/customers';
import type { ProjectState } from '@billing/contracts/events/gateway';
import { SHOWN_BY, type BilledDiscount, type SubscriptionChange } from '@billing/contracts/events/subscriptions';
import { hasEnded } from '@billing/contracts/resources/subscription';
import type { ProjectScope } from '@billing/contracts/ids';
import { customerState } from '@billing/testing/customer-state';
import { subscriptionChange } from '@billing/testing/subscriptions';
import { projectState } from '@billing/testing/projects';

/** Noon of 20 November 2026, when all of these records were created. */
const CREATED_AT = new Date('2026-11-20T12:00:00.000Z');

/** A project in US dollars. */
export const project = (scope: ProjectScope): ProjectState =>
  projectState(scope, { createdAt: new Date('2025-01-01') });

export { ITEM as item } from '@billing/testing/subscriptions';

/** A discount that takes nothing off. */
export const discount: BilledDiscount = {
  level: 'subscription',
  itemIndex: null,
  couponId: null,
  promotionCodeId: null,
  processorDiscountId: 'di_1',
  processorCouponId: 'HALF',
  processorPromotionCodeId: null,
  percentOff: null,
  amountOff: null,
  currency: null,
  endsAt: null,
  duration: 'forever',
  processorProductIds: null,
};

/** A new active subscription of 29.99 USD a month, of which nothing else was shown. */
export const subscription = ({ projectId }: ProjectScope): SubscriptionChange =>
  subscriptionChange(projectId, CREATED_AT);

/** A subscription's state at the time at which an event showed it. */
export interface Shown {
  readonly state: SubscriptionChange;
  readonly at: Date;
}

/** Returns what its owner publishes of a subscription when the events come in this order: the newest state, and what is new. */
export function versionsOf(shown: readonly Shown[]): SubscriptionChange[] {
  return shown.map((_, index) => {
    const known = shown.slice(0, index + 1);
    const [newest] = known.toSorted(
      (one, other) =>
        Number(hasEnded(other.state.status)) - Number(hasEnded(one.state.status)) ||
        other.at.getTime() - one.at.getTime(),
    );
    if (!newest) throw new Error('A known state is missing.');
    return { ...newest.state, shown: known.slice(-1).flatMap(toShown), observedAt: newest.at, version: index + 1 };
  });
}

function toShown({ state: { status, trialEnd, items }, at }: Shown): SubscriptionChange['shown'] {
  if (hasEnded(status)) return [];
  const priced = items.map(
    ({ processorPriceId: _price, processorProductId: _product, priceId: _ours, ...billed }) => billed,
  );
  return [{ status, hasTrial: trialEnd !== null, items: priced, at, by: SHOWN_BY.updated }];
}

/** A new customer. */
export const customer = ({ projectId }: ProjectScope): CustomerState =>
  customerState({ projectId, createdAt: CREATED_AT, updatedAt: CREATED_AT });
