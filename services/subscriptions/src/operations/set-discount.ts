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
    const found =
      promotionCode === null
        ? null
        : await resolve(scope, {
            promotionCode,
            processorCustomerId: snapshot.customerId,
            currency: snapshot.currency ?? '',
            priceIds: subscription.items.map(({ priceId }) => priceId),
            discounts: snapshot.discounts,
          });
    const lasting = snapshot.discounts.filter(({ id }) => isSaveOffer || id === found?.redeemed?.id);
    const discounts = [
      ...lasting.map(({ id }) => ({ discountId: id })),
      ...(found && !found.redeemed ? [{ promotionCodeId: found.processorPromotionCodeId }] : []),
    ];
    try {
      return await change(kind, scope, key, {
        toInput: common => ({ ...common, discounts, isSaveOffer }),
        ...(isSaveOffer &&
          found && {
            requireCurrent: (current: Subscription) => requireOffer(current, found.processorPromotionCodeId),
          }),
        changesOf: current => [
          { field: 'promotionCode', from: current.discounts[0]?.promotionCodeId ?? null, to: promotionCode },
        ],
        context,
      });
    } catch (err) {
      throw problemOfRedemption(err);
    }
  };
}
