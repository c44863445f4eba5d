import type { BilledDiscount } from '@billing/contracts/events/subscriptions';
import { unprocessable, type Problem } from '@billing/contracts/problem';
import type { SaveOfferOutcome } from '@billing/contracts/resources/cancellation';
import { hasEnded, type SubscriptionStatus } from '@billing/contracts/resources/subscription';

/** What decides whether an offer can be made for a subscription. */
interface Offerable {
  readonly status: SubscriptionStatus;
  readonly cancelAtPeriodEnd: boolean;
  readonly saveOffer: SaveOfferOutcome | null;
  readonly discounts: readonly Pick<BilledDiscount, 'processorPromotionCodeId'>[];
  readonly schedule: { readonly change: unknown } | null;
}

/**
 * Returns whether a customer can be offered a promotion code, by the processor's id, instead of canceling: once, and not one that
 * counts already. What a schedule of the team manages is not changed.
 */
export const canOffer = (
  { status, cancelAtPeriodEnd, saveOffer, discounts, schedule }: Offerable,
  processorPromotionCodeId: string,
): boolean =>
  saveOffer === null &&
  !cancelAtPeriodEnd &&
  !hasEnded(status) &&
  status !== 'incomplete' &&
  schedule?.change !== null &&
  discounts.every(it => it.processorPromotionCodeId !== processorPromotionCodeId);

/**
 * Checks that a customer can be offered a promotion code.
 * @throws Problem 422 `save_offer_not_available`
 */
export function requireOffer(subscription: Offerable, processorPromotionCodeId: string): void {
  if (!canOffer(subscription, processorPromotionCodeId)) throw notOffered();
}

/** The same for every offer that is not made. */
export const notOffered = (): Problem =>
  unprocessable('save_offer_not_available', 'No offer is made for the subscription, or it was made before.');
