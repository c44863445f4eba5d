import type { SubscriptionState } from '@billing/contracts/events/subscriptions';
import type { SubscriptionId } from '@billing/contracts/ids';
import type { AuditContext } from '@billing/contracts/resources/audit-entry';
import type { MadeChange, PlanChangePreview } from '@billing/contracts/resources/plan-change';
import type { PortalConfig } from '@billing/contracts/resources/portal-config';
import {
  ChangeCustomerPlan,
  DropCustomerPlan,
  PreviewCustomerPlan,
  type ChosenPlan,
} from '@billing/contracts/rpc/as-customer';
import type { RpcClient } from '@billing/messaging/rpc';
import { requireOffered, type Choice } from '#domain/offer.ts';
import type { Visitor } from './admit-visitor.ts';
import { findOffer, type OfferedChange } from './find-offer.ts';

/** In milliseconds; the subscriptions service calls the processor several times before it replies. */
const TIMEOUT_MS = 18_000;

/** What a customer wants, as page and API have it. */
export type WantedPlan = Choice & Pick<ChosenPlan, 'prorationDate' | 'expectedAmountDue'>;

interface Dependencies {
  readonly rpc: RpcClient;
}

/** A preview, and what it was chosen from. */
export interface PreviewedPlan extends OfferedChange {
  readonly choice: Choice;
  readonly preview: PlanChangePreview;
}

/**
 * Previews a change of plan that is offered to the visitor.
 * @throws Problem what `findOffer` throws; 422 `price_not_offered`; what the subscriptions service refuses it with
 */
export function previewPlan({ rpc }: Dependencies) {
  const find = findOffer({ rpc });
  return async (visitor: Visitor, subscriptionId: SubscriptionId, wanted: WantedPlan): Promise<PreviewedPlan> => {
    const { scope, customerId, config } = visitor;
    const offered = await find(visitor, subscriptionId);
    const choice = requireOffered(offered.subscription, offered.offer, wanted);
    const request = { ...scope, customerId, subscriptionId, plan: planOf(config, choice, wanted) };
    return { ...offered, choice, preview: await rpc.call(PreviewCustomerPlan, request, TIMEOUT_MS) };
  };
}

/**
 * Changes the plan of a subscription of the visitor to one that is offered. The same operation key is the same change.
 * @throws Problem what `previewPlan` throws; 409 `amount_changed`, `preview_expired`; 422 `payment_failed`
 */
export function changePlan({ rpc }: Dependencies) {
  const find = findOffer({ rpc });
  return async (
    visitor: Visitor,
    subscriptionId: SubscriptionId,
    wanted: WantedPlan,
    audit: AuditContext,
    operationKey?: string,
  ): Promise<{ change: MadeChange; subscription: SubscriptionState }> => {
    const { scope, customerId, config } = visitor;
    const { subscription, offer } = await find(visitor, subscriptionId);
    const plan = planOf(config, requireOffered(subscription, offer, wanted), wanted);
    const request = { ...scope, customerId, subscriptionId, plan, operationKey, audit };
    return rpc.call(ChangeCustomerPlan, request, TIMEOUT_MS);
  };
}

/**
 * Takes back a change that waits for its payment, else the one that is scheduled.
 * @throws Problem 404 `subscription_not_found`, `change_not_found`; 502 or 503 when the processor refuses or does not respond
 */
export function dropPlanChange({ rpc }: Dependencies) {
  return (
    { scope, customerId }: Visitor,
    subscriptionId: SubscriptionId,
    audit: AuditContext,
  ): Promise<SubscriptionState> =>
    rpc.call(DropCustomerPlan, { ...scope, customerId, subscriptionId, audit }, TIMEOUT_MS);
}

/** Returns what the customer chose, made as the project has set. At the period's end nothing is prorated. */
function planOf(
  { planSwitch: { when, proration } }: PortalConfig,
  choice: Choice,
  { prorationDate, expectedAmountDue }: WantedPlan,
): ChosenPlan {
  return { ...choice, when, ...(when !== 'period_end' && { proration }), prorationDate, expectedAmountDue };
}
