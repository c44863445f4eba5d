import { TakeInBilling } from '@billing/contracts/rpc/calls';
import type { RpcClient } from '@billing/messaging/rpc';
import type { Logger } from 'pino';
import { toState } from '#domain/customer.ts';
import type { LinkedCustomer } from '#persistence/customer.entity.ts';

/** Has what the processor billed a linked customer before recorded. It never fails a request. */
export type TakeIn = (customer: LinkedCustomer) => Promise<void>;

/** Longer than the reading of a page of subscriptions and one of invoices takes, shorter than the gateway waits. */
const TIMEOUT_MS = 10_000;

/**
 * Has subscriptions record what the processor billed a customer before it was linked, and waits for that. When
 * subscriptions does not reply in time it does so later, because of the customer's event.
 */
export function takeInBilling({ rpc, logger }: { readonly rpc: RpcClient; readonly logger: Logger }): TakeIn {
  return async customer => {
    try {
      await rpc.call(TakeInBilling, { teamId: customer.teamId, customer: toState(customer) }, TIMEOUT_MS);
    } catch (err) {
      logger.warn(
        { err, customerId: customer.id, teamId: customer.teamId },
        'billing of a linked customer follows later',
      );
    }
  };
}
