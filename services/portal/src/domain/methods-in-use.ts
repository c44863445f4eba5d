import type { PaymentMethodSnapshot, PaymentMethodsInUse } from '@billing/processor/port';

/** What pays a subscription: a payment method, the customer by `invoice`, or null for nothing. */
type Method = PaymentMethodSnapshot | 'invoice' | null;

/** What pays, and the subscriptions that it pays. */
export interface MethodInUse<Shown> {
  readonly method: Method;
  readonly subscriptions: readonly Shown[];
}

interface Charged {
  readonly processorSubscriptionId: string;
}

/** Returns what the invoices of a subscription are charged to, its own payment method before the customer's, unless they are sent. */
export function methodOf(
  { byInvoice, ...methods }: PaymentMethodsInUse,
  { processorSubscriptionId: id }: Charged,
): Method {
  return byInvoice.has(id) ? 'invoice' : (methods.ofSubscriptions.get(id) ?? methods.customerDefault);
}

/** Groups subscriptions by what they are charged to. Without subscriptions, the customer's payment method stands alone. */
export function groupByMethod<Shown extends Charged>(
  methods: PaymentMethodsInUse,
  subscriptions: readonly Shown[],
): MethodInUse<Shown>[] {
  if (subscriptions.length === 0) return [{ method: methods.customerDefault, subscriptions }];
  const groups = Map.groupBy(subscriptions, it => {
    const method = methodOf(methods, it);
    return method === 'invoice' ? method : method?.id;
  });
  return [...groups.values()].flatMap(group => {
    const [first] = group;
    return first ? [{ method: methodOf(methods, first), subscriptions: group }] : [];
  });
}
