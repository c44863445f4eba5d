import { unavailable } from '@billing/contracts/problem';
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
    return { kind: 'known', paymentMethods: await withDeadline(deadlineMs, lookup) };
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
