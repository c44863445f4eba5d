import { unavailable } from '@billing/contracts/problem';
import { TimeoutError, withTimeout } from '@billing/messaging/timed-transaction';
import type { PaymentMethodsInUse } from '@billing/processor/port';
import type { TeamProcessors } from '@billing/processor/team-processors';
import type { Visitor } from './admit-visitor.ts';

/** The payment methods, or that the processor did not return them. */
export type PaymentMethodsLookup =
  | { readonly kind: 'known'; readonly paymentMethods: PaymentMethodsInUse }
  | { readonly kind: 'unknown' };

/**
 * Fetches from the processor what the customer's subscriptions are charged to.
 * @throws Problem 503 when the processor does not respond within `deadlineMs`; the processor's own error when it refuses
 */
export function findPaymentMethods({ processors }: { readonly processors: TeamProcessors }) {
  return async ({ scope, customer }: Visitor, deadlineMs: number): Promise<PaymentMethodsLookup> => {
    const lookup = processors.of(scope.teamId).then(it => it.findPaymentMethods(customer.processorCustomerId));
    const paymentMethods = await withTimeout(lookup, deadlineMs, 'The payment processor').catch((err: unknown) => {
      throw err instanceof TimeoutError ? unavailable(err.message) : err;
    });
    return { kind: 'known', paymentMethods };
  };
}
