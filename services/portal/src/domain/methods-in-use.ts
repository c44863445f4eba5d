import type { PaymentMethodSnapshot, PaymentMethodsInUse } from '@billing/processor/port';

/** A payment method, or that there is none, and the subscriptions that are charged to it. */
export interface MethodInUse<Shown> {
  readonly method: PaymentMethodSnapshot | null;
  readonly subscriptions: readonly Shown[];
}

interface Charged {
  readonly processorSubscriptionId: string;
}

/** Returns what the invoices of a subscription are charged to: its own payment method, else the customer's; null for none. */
export const methodOf = (methods: PaymentMethodsInUse, subscription: Charged): PaymentMethodSnapshot | null =>
  methods.ofSubscriptions.get(subscription.processorSubscriptionId) ?? methods.customerDefault;

/** Groups subscriptions by what they are charged to. Without subscriptions, the customer's payment method stands alone. */
export function groupByMethod<Shown extends Charged>(
  methods: PaymentMethodsInUse,
  subscriptions: readonly Shown[],
): MethodInUse<Shown>[] {
  if (subscriptions.length === 0) return [{ method: methods.customerDefault, subscriptions }];
  const groups = Map.groupBy(subscriptions, it => methodOf(methods, it)?.id);
  return [...groups.values()].flatMap(group => {
    const [first] = group;
    return first ? [{ method: methodOf(methods, first), subscriptions: group }] : [];
  });
}
