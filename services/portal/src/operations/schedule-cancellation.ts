import type { SubscriptionState } from '@billing/contracts/events/subscriptions';
import type { SubscriptionId } from '@billing/contracts/ids';
import type { AuditContext } from '@billing/contracts/resources/audit-entry';
import { cancellationOf, type cancellationSaid } from '@billing/contracts/resources/cancellation';
import type { subscriptionUpdate } from '@billing/contracts/resources/subscription';
import { ScheduleCancellation } from '@billing/contracts/rpc/as-customer';
import type { RpcClient } from '@billing/messaging/rpc';
import type { z } from 'zod';
import type { Visitor } from './admit-visitor.ts';

/** What page and API want. */
export type WantedCancellation = Pick<z.output<typeof subscriptionUpdate>, 'cancelAtPeriodEnd'> &
  Partial<z.output<typeof cancellationSaid>> & {
    /** Whether the customer cancels although an offer was shown. */
    readonly declinesOffer?: boolean;
  };

/** In milliseconds; the subscriptions service calls the processor before it replies. */
const TIMEOUT_MS = 18_000;

/**
 * Cancels a subscription of the visitor at the end of its period, or resumes it.
 * @throws Problem 404 `subscription_not_found`, also for another customer's; 422 `subscription_ended`; 502 or 503 when
 * the processor refuses or does not respond
 */
export function scheduleCancellation({ rpc }: { readonly rpc: RpcClient }) {
  return (
    { scope, customerId }: Visitor,
    subscriptionId: SubscriptionId,
    { cancelAtPeriodEnd, declinesOffer, ...given }: WantedCancellation,
    audit: AuditContext,
  ): Promise<SubscriptionState> =>
    rpc.call(
      ScheduleCancellation,
      {
        ...scope,
        customerId,
        subscriptionId,
        cancelAtPeriodEnd,
        cancellation: cancellationOf(given),
        declinesOffer,
        audit,
      },
      TIMEOUT_MS,
    );
}
