import type { SubscriptionState } from '@billing/contracts/events/subscriptions';
import type { SubscriptionId } from '@billing/contracts/ids';
import { ScheduleCancellation } from '@billing/contracts/rpc/calls';
import type { RpcClient } from '@billing/messaging/rpc';
import type { Visitor } from './admit.ts';

/** The subscriptions service waits for the processor before it answers, in milliseconds. */
const TIMEOUT_MS = 18_000;

/**
 * Cancels a subscription at the end of its period, or takes that back, as its customer.
 * @throws Problem 404 `subscription_not_found`, another customer's included; 422 `subscription_ended`; 502 or 503 when
 * the processor refuses or does not answer
 */
export function scheduleCancellation({ rpc }: { rpc: RpcClient }) {
  return (
    { scope, customerId }: Visitor,
    subscriptionId: SubscriptionId,
    cancelAtPeriodEnd: boolean,
  ): Promise<SubscriptionState> =>
    rpc.call(ScheduleCancellation, { ...scope, customerId, subscriptionId, cancelAtPeriodEnd }, TIMEOUT_MS);
}
