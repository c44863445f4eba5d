import type { UnitOfWork } from '../api/unit-of-work.ts';
import { customerOrNull } from '../objects/customer.ts';
import type { PaymentMethod, Subscription } from '../objects/stored.ts';

/** Returns the card of a subscription: its own, else the customer's default. */
export function cardFor(unit: UnitOfWork, subscription: Subscription): PaymentMethod | null {
  const customer = customerOrNull(unit, subscription.customer);
  const id = subscription.default_payment_method ?? customer?.invoice_settings.default_payment_method;
  return typeof id === 'string' ? (unit.tables.payment_method.get(id) ?? null) : null;
}
