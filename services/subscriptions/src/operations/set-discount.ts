import type { ProjectScope } from '@billing/contracts/ids';
import type { AuditContext } from '@billing/contracts/resources/audit-entry';
import type { SubscriptionSnapshot } from '@billing/processor/port';
import { z } from 'zod';
import { requireRunning, requireUnscheduled } from '#domain/subscription.ts';
import { findSubscription, type SubscriptionKey } from '#persistence/find-subscription.ts';
import type { Subscription } from '#persistence/subscription.entity.ts';
import type { Dependencies } from '../dependencies.ts';
import { changeAtProcessor, changeInput, changeKind } from './change-at-processor.ts';
import { readSubscription } from './read-subscription.ts';
import { problemOfRedemption, resolvePromotionCode } from './resolve-promotion-code.ts';
import { settleAfterChange } from './schedule-change.ts';

const wanted = z.union([z.object({ discountId: z.string() }), z.object({ promotionCodeId: z.string() })]);
const input = changeInput.extend({ discounts: z.array(wanted) });

/** Sets all discounts of a subscription at the processor. */
export const setDiscountKind = (dependencies: Pick<Dependencies, 'now'>) =>
  changeKind(
    {
      name: 'set-discount',
      input,
      send: async (
        processor,
        { teamId, projectId, input: { processorSubscriptionId, discounts }, idempotencyKey: key },
      ) => {
        const snapshot = await processor.setDiscounts(processorSubscriptionId, discounts, key);
        return settleAfterChange(processor, snapshot, { scope: { teamId, projectId }, key });
      },
      isDone: (snapshot, { discounts }) =>
        snapshot.discounts.length === discounts.length &&
        discounts.every(one =>
          snapshot.discounts.some(({ id, detail }) =>
            'discountId' in one ? id === one.discountId : detail?.promotionCodeId === one.promotionCodeId,
          ),
        ),
    },
    dependencies,
  );

/**
 * Sets the promotion code of a subscription, in place of all discounts; null removes them. It counts for future invoices. A
 * code that was redeemed for it before is not redeemed again.
 * @throws Problem what `changeAtProcessor` and `resolvePromotionCode` throw; 422 `subscription_has_schedule`
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
  ): Promise<Subscription> => {
    const subscription = await findSubscription(em.fork(), scope, key);
    requireRunning(subscription.status);
    const { snapshot } = await read({ scope, id: subscription.processorSubscriptionId });
    requireUnscheduled(snapshot);
    const discounts =
      promotionCode === null ? [] : [await findWanted(promotionCode, { scope, subscription, snapshot })];
    try {
      return await change(kind, scope, key, {
        toInput: common => ({ ...common, discounts }),
        changesOf: current => [
          { field: 'promotionCode', from: current.discounts[0]?.promotionCodeId ?? null, to: promotionCode },
        ],
        context,
      });
    } catch (err) {
      throw problemOfRedemption(err);
    }
  };

  /** Returns the discount that the subscription is to have: its own of this code, else the code. */
  async function findWanted(
    promotionCode: string,
    {
      scope,
      subscription,
      snapshot,
    }: { scope: ProjectScope; subscription: Subscription; snapshot: SubscriptionSnapshot },
  ) {
    const { processorPromotionCodeId: promotionCodeId, redeemed } = await resolve(scope, {
      promotionCode,
      processorCustomerId: snapshot.customerId,
      currency: snapshot.currency ?? '',
      priceIds: subscription.items.map(({ priceId }) => priceId),
      discounts: snapshot.discounts,
    });
    return redeemed ? { discountId: redeemed.id } : { promotionCodeId };
  }
}
