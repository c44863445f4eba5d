import type { ProjectScope } from '@billing/contracts/ids';
import type { AuditContext } from '@billing/contracts/resources/audit-entry';
import type { SubscriptionSnapshot } from '@billing/processor/port';
import { z } from 'zod';
import { requireOffer } from '#domain/save-offer.ts';
import { requireRunning, requireUnscheduled } from '#domain/subscription.ts';
import { findSubscription, type SubscriptionKey } from '#persistence/find-subscription.ts';
import type { Subscription } from '#persistence/subscription.entity.ts';
import type { Dependencies } from '../dependencies.ts';
import { changeAtProcessor, changeInput, changeKind } from './change-at-processor.ts';
import { readSubscription } from './read-subscription.ts';
import { problemOfRedemption, resolvePromotionCode } from './resolve-promotion-code.ts';
import { settleAfterChange } from './schedule-change.ts';

const wanted = z.union([z.object({ discountId: z.string() }), z.object({ promotionCodeId: z.string() })]);
type WantedDiscount = z.output<typeof wanted>;
const input = changeInput.extend({ discounts: z.array(wanted), isSaveOffer: z.boolean() });

const hasRedeemed = ({ discounts }: SubscriptionSnapshot, promotionCodeId: string): boolean =>
  discounts.some(({ detail }) => detail?.promotionCodeId === promotionCodeId);

/** Sets all discounts of a subscription at the processor. */
export const setDiscountKind = (dependencies: Pick<Dependencies, 'now'>) =>
  changeKind(
    {
      name: 'set-discount',
      input,
      send: async (
        processor,
        { teamId, projectId, input: { processorSubscriptionId, discounts, isSaveOffer }, idempotencyKey: key },
      ) => {
        if (isSaveOffer) {
          // Another request may have redeemed the code since this one looked.
          const current = await processor.findSubscription(processorSubscriptionId);
          if (discounts.some(it => 'promotionCodeId' in it && hasRedeemed(current, it.promotionCodeId))) return current;
        }
        const snapshot = await processor.setDiscounts(processorSubscriptionId, discounts, key);
        return settleAfterChange(processor, snapshot, { scope: { teamId, projectId }, key });
      },
      isDone: (snapshot, { discounts }) =>
        snapshot.discounts.length === discounts.length &&
        discounts.every(one =>
          'discountId' in one
            ? snapshot.discounts.some(({ id }) => id === one.discountId)
            : hasRedeemed(snapshot, one.promotionCodeId),
        ),
      saveOfferOf: ({ isSaveOffer }) => (isSaveOffer ? 'accepted' : null),
    },
    dependencies,
  );

/**
 * Sets the promotion code of a subscription, in place of all discounts; null removes them. It counts for future invoices. A
 * code that was redeemed for it before is not redeemed again. A save offer comes to the other discounts instead, once.
 * @throws Problem what `changeAtProcessor` and `resolvePromotionCode` throw; 422 `subscription_has_schedule`,
 *   `save_offer_not_available`
 */
export function setDiscount(
  dependencies: Pick<Dependencies, 'em' | 'rpc' | 'outbox' | 'processors' | 'operationLog' | 'now'>,
) {
  const { em } = dependencies;
  const [change, resolve] = [changeAtProcessor(dependencies), resolvePromotionCode(dependencies)];
  const read = readSubscription(dependencies);
  const kind = setDiscountKind(dependencies);

  return async (
    scope: ProjectScope,
    key: SubscriptionKey,
    promotionCode: string | null,
    context: AuditContext,
    { isSaveOffer = false }: { readonly isSaveOffer?: boolean } = {},
  ): Promise<Subscription> => {
    const subscription = await findSubscription(em.fork(), scope, key);
    requireRunning(subscription.status);
    const { snapshot } = await read({ scope, id: subscription.processorSubscriptionId });
    requireUnscheduled(snapshot);
    const found = promotionCode === null ? [] : [await findWanted(promotionCode, { scope, subscription, snapshot })];
    const kept = isSaveOffer ? snapshot.discounts.map(({ id }) => ({ discountId: id })) : [];
    const added = found.flatMap(({ redeemed, processorPromotionCodeId: promotionCodeId }): WantedDiscount[] => {
      if (!redeemed) return [{ promotionCodeId }];
      return isSaveOffer ? [] : [{ discountId: redeemed.id }];
    });
    const discounts = [...kept, ...added];
    const requireOffered = (current: Subscription): void => {
      for (const { processorPromotionCodeId } of found) requireOffer(current, processorPromotionCodeId);
    };
    try {
      return await change(kind, scope, key, {
        toInput: common => ({ ...common, discounts, isSaveOffer }),
        ...(isSaveOffer && { requireCurrent: requireOffered }),
        changesOf: current => [
          { field: 'promotionCode', from: current.discounts[0]?.promotionCodeId ?? null, to: promotionCode },
        ],
        context,
      });
    } catch (err) {
      throw problemOfRedemption(err);
    }
  };

  /** Finds the code, and the discount that it was redeemed for before. */
  function findWanted(
    promotionCode: string,
    {
      scope,
      subscription,
      snapshot,
    }: { scope: ProjectScope; subscription: Subscription; snapshot: SubscriptionSnapshot },
  ) {
    return resolve(scope, {
      promotionCode,
      processorCustomerId: snapshot.customerId,
      currency: snapshot.currency ?? '',
      priceIds: subscription.items.map(({ priceId }) => priceId),
      discounts: snapshot.discounts,
    });
  }
}
