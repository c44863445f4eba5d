import type { ProjectScope, PromotionCodeId } from '@billing/contracts/ids';
import { Problem } from '@billing/contracts/problem';
import type { AuditContext } from '@billing/contracts/resources/audit-entry';
import type { CouponState } from '@billing/contracts/events/discounts';
import { findSubscription, type SubscriptionKey } from '#record/subscription-rows';
import { discountsOf, type Subscription } from '#record/subscription.entity';
import { problemOfRedemption, resolvePromotionCode } from '#copies/resolve-promotion-code';
import type { Dependencies } from '../dependencies.ts';
import { canOffer, notOffered } from './save-offer.rules.ts';
import { setDiscount } from './set-discount.ts';

/**
 * Finds what a customer can be offered instead of canceling: the coupon of a promotion code, or null when an offer was made
 * before or the code cannot be redeemed.
 * @throws Problem 404 `subscription_not_found`; 503 when the catalog or the processor does not respond
 */
export function findSaveOffer({ em, rpc, processors }: Pick<Dependencies, 'em' | 'rpc' | 'processors'>) {
  const resolve = resolvePromotionCode({ em, rpc });
  return async (
    scope: ProjectScope,
    key: SubscriptionKey,
    promotionCodeId: PromotionCodeId,
  ): Promise<CouponState | null> => {
    const subscription = await findSubscription(em.fork(), scope, key);
    if (subscription.saveOffer !== null) return null;
    const { processorCustomerId, items } = subscription;
    const wanted = { promotionCode: promotionCodeId, processorCustomerId, currency: items[0]?.currency ?? '' };
    try {
      const found = await resolve(scope, { ...wanted, priceIds: items.map(({ priceId }) => priceId) });
      if (!canOffer(subscription, found.processorPromotionCodeId)) return null;
      await requireRedeemable(scope, subscription, found.processorPromotionCodeId);
      return found.coupon;
    } catch (err) {
      if (isRefusal(err)) return null;
      throw err;
    }
  };

  /** Only the processor knows what a code requires of the customer and of the amount. */
  async function requireRedeemable(
    { teamId }: ProjectScope,
    subscription: Subscription,
    promotionCodeId: string,
  ): Promise<void> {
    const processor = await processors.of(teamId);
    const whole = discountsOf(subscription).filter(({ level }) => level !== 'item');
    const kept = whole.map(({ processorDiscountId: discountId }) => ({ discountId }));
    const change = { proration: 'none', discounts: [...kept, { promotionCodeId }] } as const;
    await processor.previewInvoice(subscription.processorSubscriptionId, change).catch((err: unknown) => {
      throw problemOfRedemption(err);
    });
  }
}

/**
 * Adds the promotion code that a customer was offered to the discounts of the subscription. Of several at a time one does.
 * @throws Problem 404 `subscription_not_found`; 422 `save_offer_not_available`; `processor_error`, `unavailable`
 */
export function acceptSaveOffer(
  dependencies: Pick<Dependencies, 'em' | 'rpc' | 'outbox' | 'processors' | 'operationLog' | 'now'>,
) {
  const set = setDiscount(dependencies);
  return async (
    scope: ProjectScope,
    key: SubscriptionKey,
    promotionCodeId: PromotionCodeId,
    context: AuditContext,
  ): Promise<Subscription> => {
    try {
      return await set(scope, key, promotionCodeId, context, { isSaveOffer: true });
    } catch (err) {
      throw isRefusal(err) ? notOffered() : err;
    }
  };
}

/** Whether the code, or the subscription, does not allow it. */
const isRefusal = (err: unknown): boolean =>
  err instanceof Problem && (err.kind === 'unprocessable' || err.code === 'promotion_code_not_found');
