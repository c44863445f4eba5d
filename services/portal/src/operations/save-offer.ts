import type { SubscriptionState } from '@billing/contracts/events/subscriptions';
import type { PromotionCodeId, SubscriptionId } from '@billing/contracts/ids';
import { unprocessable } from '@billing/contracts/problem';
import type { AuditContext } from '@billing/contracts/resources/audit-entry';
import { AcceptSaveOffer, FindSaveOffer } from '@billing/contracts/rpc/as-customer';
import type { RpcClient } from '@billing/messaging/rpc';
import type { Logger } from 'pino';
import type { z } from 'zod';
import type { Visitor } from './admit-visitor.ts';
import { findSubscription } from './find-customer-billing.ts';

/** In milliseconds; the subscriptions service calls the catalog and the processor before it replies. */
const TIMEOUT_MS = 18_000;
/** How long the page that cancels waits for an offer, in milliseconds. */
const FIND_TIMEOUT_MS = 4_000;

/** What a customer is offered who is about to cancel. */
export type SaveOffer = z.output<typeof FindSaveOffer.reply> & { readonly promotionCodeId: PromotionCodeId };

/** Finds what the visitor can be offered instead of canceling a subscription; null also where it cannot be found out. */
export function findSaveOffer({ rpc, logger }: { readonly rpc: RpcClient; readonly logger: Logger }) {
  return async ({ scope, customerId, config }: Visitor, subscriptionId: SubscriptionId): Promise<SaveOffer | null> => {
    const { saveOffer } = config.cancellation;
    if (!saveOffer) return null;
    const { promotionCodeId } = saveOffer;
    const request = { ...scope, customerId, subscriptionId, promotionCodeId };
    try {
      const found = await rpc.call(FindSaveOffer, request, FIND_TIMEOUT_MS);
      return found && { ...found, promotionCodeId };
    } catch (err) {
      logger.warn({ err, ...scope }, 'cancellation shown without the save offer');
      return null;
    }
  };
}

/**
 * Accepts what the visitor is offered instead of canceling: the discount is added to the subscription, once. `seen` is the
 * promotion code that a page has offered.
 * @throws Problem 404 `subscription_not_found`, also for another customer's; 422 `save_offer_not_available`; 502 or 503 when
 * the processor refuses or does not respond
 */
export function acceptSaveOffer({ rpc }: { readonly rpc: RpcClient }) {
  const find = findSubscription({ rpc });
  return async (
    visitor: Visitor,
    subscriptionId: SubscriptionId,
    audit: AuditContext,
    seen?: string,
  ): Promise<SubscriptionState> => {
    const { scope, customerId, config } = visitor;
    const { saveOffer } = config.cancellation;
    if (!saveOffer || (seen !== undefined && seen !== saveOffer.promotionCodeId)) {
      await find(visitor, subscriptionId);
      const message = saveOffer
        ? 'Another offer is made by now.'
        : 'The project makes no offers to customers who cancel.';
      throw unprocessable('save_offer_not_available', message);
    }
    const { promotionCodeId } = saveOffer;
    return rpc.call(AcceptSaveOffer, { ...scope, customerId, subscriptionId, promotionCodeId, audit }, TIMEOUT_MS);
  };
}
