import { unavailable } from '@billing/contracts/problem';
import type { PaymentMethodSnapshot } from '@billing/processor/port';
import type { TeamProcessors } from '@billing/processor/team-processors';
import type { Visitor } from './admit-visitor.ts';

/** The payment method (null when none is saved), or that the processor did not return it. */
export type PaymentMethodLookup =
  | { readonly kind: 'known'; readonly paymentMethod: PaymentMethodSnapshot | null }
  | { readonly kind: 'unknown' };

/**
 * Fetches the payment method of the customer's subscriptions from the processor.
 * @throws Problem 503 when the processor does not respond within `deadlineMs`; the processor's own error when it refuses
 */
export function findPaymentMethod({ processors }: { readonly processors: TeamProcessors }) {
  return async ({ scope, customer }: Visitor, deadlineMs: number): Promise<PaymentMethodLookup> => {
    const lookup = processors.of(scope.teamId).then(it => it.findPaymentMethod(customer.processorCustomerId));
    return { kind: 'known', paymentMethod: await withDeadline(deadlineMs, lookup) };
  };
}

async function withDeadline<Result>(deadlineMs: number, work: Promise<Result>): Promise<Result> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => late.reject(unavailable(`The payment processor took longer than ${deadlineMs} ms.`)),
    deadlineMs,
  );
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
