import type { SubscriptionState } from '@billing/contracts/events/subscriptions';
import type { SubscriptionId } from '@billing/contracts/ids';
import type { AuditContext } from '@billing/contracts/resources/audit-entry';
import type { ResumePreview } from '@billing/contracts/resources/subscription-pause';
import {
  PauseCustomerSubscription,
  PreviewCustomerResume,
  ResumeCustomerSubscription,
  type BilledSubscription,
} from '@billing/contracts/rpc/as-customer';
import type { RpcClient } from '@billing/messaging/rpc';
import { cycleOf, inDays, requirePause, requirePauses } from '#domain/pause.ts';
import type { Visitor } from './admit-visitor.ts';
import { findSubscription } from './find-customer-billing.ts';

/** In milliseconds; the subscriptions service calls the processor several times before it replies. */
const TIMEOUT_MS = 18_000;

interface Dependencies {
  readonly rpc: RpcClient;
}

/**
 * Pauses the payments of a subscription of the visitor, until a time, for some days, or as long as may be, by the time of its
 * test clock if it has one. The same operation key is the same pause.
 * @throws Problem 404 `subscription_not_found`, also for another customer's; 422 `pause_not_offered`, `already_paused`; 400 for an
 * end that is not ahead; 502 or 503 when the processor refuses or does not respond
 */
export function pauseSubscription({ rpc, now }: Dependencies & { readonly now: () => Date }) {
  const find = findSubscription({ rpc });
  return async (
    visitor: Visitor,
    subscriptionId: SubscriptionId,
    wanted: Date | { readonly days: number } | undefined,
    audit: AuditContext,
    operationKey?: string,
  ): Promise<SubscriptionState> => {
    const { scope, customerId, config } = visitor;
    const subscription = await find(visitor, subscriptionId);
    const time = subscription.clockNow ?? now();
    const until = wanted && 'days' in wanted ? inDays(time, wanted.days) : wanted;
    const resumesAt = requirePause(subscription, config.pause, { wanted: until, now: time });
    const request = { ...scope, customerId, subscriptionId, resumesAt, operationKey, audit };
    return rpc.call(PauseCustomerSubscription, request, TIMEOUT_MS);
  };
}

/** What resuming a subscription charges. */
export interface PreviewedResume {
  readonly subscription: BilledSubscription;
  readonly preview: ResumePreview;
}

/**
 * Previews what resuming a subscription of the visitor charges.
 * @throws Problem 404 `subscription_not_found`; 422 `pause_not_offered`, `not_paused`; 502 or 503 as `pauseSubscription`
 */
export function previewResume({ rpc }: Dependencies) {
  const find = findSubscription({ rpc });
  return async (visitor: Visitor, subscriptionId: SubscriptionId): Promise<PreviewedResume> => {
    const { scope, customerId, config } = visitor;
    const subscription = await find(visitor, subscriptionId);
    requirePauses(config.pause);
    const request = { ...scope, customerId, subscriptionId, billingCycle: cycleOf(subscription) };
    return { subscription, preview: await rpc.call(PreviewCustomerResume, request, TIMEOUT_MS) };
  };
}

/**
 * Resumes a paused subscription of the visitor, for no more than they have confirmed. The same operation key is the same resumption.
 * @throws Problem what `previewResume` throws; 409 `amount_changed`; 422 `payment_failed`
 */
export function resumeSubscription({ rpc }: Dependencies) {
  const find = findSubscription({ rpc });
  return async (
    visitor: Visitor,
    subscriptionId: SubscriptionId,
    expectedAmountDue: number,
    audit: AuditContext,
    operationKey?: string,
  ): Promise<SubscriptionState> => {
    const { scope, customerId, config } = visitor;
    const subscription = await find(visitor, subscriptionId);
    requirePauses(config.pause);
    const wanted = { billingCycle: cycleOf(subscription), expectedAmountDue };
    const request = { ...scope, customerId, subscriptionId, ...wanted, operationKey, audit };
    return rpc.call(ResumeCustomerSubscription, request, TIMEOUT_MS);
  };
}
