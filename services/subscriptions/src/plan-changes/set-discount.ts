import type { ProjectScope } from '@billing/contracts/ids';
import type { AuditContext } from '@billing/contracts/resources/audit-entry';
import type { SubscriptionSnapshot } from '@billing/processor/port';
import type { DiscountSnapshot } from '@billing/processor/snapshots/discounts';
import { billedDiscounts } from '@billing/processor/snapshots/subscription-discounts';
import { z } from 'zod';
import { requireRunning, requireUnscheduled } from '#record/subscription.rules';
import { findSubscription, type SubscriptionKey } from '#record/subscription-rows';
import { allDiscountsOf, type Subscription } from '#record/subscription.entity';
import { ownDiscounts } from '#record/discount.rules';
import { changeAtProcessor, changeInput, changeKind } from '#record/change-at-processor';
import { readSubscription } from '#record/read-subscription';
import { problemOfRedemption, resolvePromotionCode } from '#copies/resolve-promotion-code';
import type { Dependencies } from '../dependencies.ts';
import { settleAfterChange } from './follow-subscription.ts';
import { requireOffer } from './save-offer.rules.ts';

/** `processorPromotionCodeId` is null where all discounts are removed. */
const input = changeInput.extend({ processorPromotionCodeId: z.string().nullable(), isSaveOffer: z.boolean() });
type Wanted = Pick<z.output<typeof input>, 'processorPromotionCodeId' | 'isSaveOffer'>;

/**
 * Returns the discounts to set, which keep what is redeemed already; null where the subscription has just these. A save offer
 * also keeps that of the customer, which no longer counts beside one of the subscription.
 */
function discountsToSet(snapshot: SubscriptionSnapshot, { processorPromotionCodeId, isSaveOffer }: Wanted) {
  const { discounts } = snapshot;
  const isWanted = ({ detail }: DiscountSnapshot) =>
    processorPromotionCodeId !== null && detail?.promotionCodeId === processorPromotionCodeId;
  const lasting = isSaveOffer ? billedDiscounts(snapshot) : discounts.filter(isWanted);
  const added =
    processorPromotionCodeId === null || discounts.some(isWanted)
      ? []
      : [{ promotionCodeId: processorPromotionCodeId }];
  if (added.length === 0 && (isSaveOffer || lasting.length === discounts.length)) return null;
  return [...lasting.map(({ id }) => ({ discountId: id })), ...added];
}

/** Sets all discounts of a subscription at the processor. A code that another request has redeemed meanwhile is not redeemed again. */
export const setDiscountKind = (dependencies: Pick<Dependencies, 'now'>) =>
  changeKind(
    {
      name: 'set-discount',
      input,
      send: async (processor, { teamId, projectId, input: wanted, idempotencyKey: key }) => {
        const current = await processor.findSubscription(wanted.processorSubscriptionId);
        const discounts = discountsToSet(current, wanted);
        const snapshot = discounts ? await processor.setDiscounts(current.id, discounts, key) : current;
        return settleAfterChange(processor, snapshot, { scope: { teamId, projectId }, key });
      },
      isDone: (snapshot, wanted) => discountsToSet(snapshot, wanted) === null,
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
    const processorPromotionCodeId = found?.processorPromotionCodeId ?? null;
    try {
      return await change(kind, scope, key, {
        toInput: common => ({ ...common, processorPromotionCodeId, isSaveOffer }),
        ...(isSaveOffer &&
          found && {
            requireCurrent: (current: Subscription) => requireOffer(current, found.processorPromotionCodeId),
          }),
        changesOf: current => [
          {
            field: 'promotionCode',
            from: ownDiscounts(allDiscountsOf(current))[0]?.promotionCodeId ?? null,
            to: promotionCode,
          },
        ],
        context,
      });
    } catch (err) {
      throw problemOfRedemption(err);
    }
  };
}
