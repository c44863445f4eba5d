import { unavailable } from '@billing/contracts/problem';
import type { PaymentMethodSnapshot } from '@billing/processor/port';
import type { TeamProcessors } from '@billing/processor/team-processors';
import type { Visitor } from './admit.ts';

/** What is known of the payment method: it (null when none is saved), or nothing, since the processor did not say. */
export type PaymentMethodFound =
  | { readonly kind: 'known'; readonly paymentMethod: PaymentMethodSnapshot | null }
  | { readonly kind: 'unknown' };

/**
 * The payment method that pays for the customer's subscriptions, from the processor.
 * @throws Problem 503 when the processor does not tell within `deadlineMs`, and whatever it refuses with
 */
export async function findPaymentMethod(
  processors: TeamProcessors,
  { scope, customer }: Visitor,
  deadlineMs: number,
): Promise<PaymentMethodFound> {
  const finding = processors.of(scope.teamId).then(it => it.findPaymentMethod(customer.processorCustomerId));
  return { kind: 'known', paymentMethod: await within(deadlineMs, finding) };
}

async function within<Result>(deadlineMs: number, work: Promise<Result>): Promise<Result> {
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
