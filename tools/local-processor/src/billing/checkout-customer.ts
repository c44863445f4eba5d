import type { UnitOfWork } from '../api/unit-of-work.ts';
import { newCustomer } from '../objects/customer.ts';
import { customerOrNull } from '../objects/finding.ts';
import type { CheckoutPlan, CheckoutSession, Customer } from '../objects/stored.ts';
import { taxLocationOf } from './tax.ts';

/** What a customer enters on the page of a session. */
export const ENTERED_EMAIL = 'guest@example.com';
export const ENTERED_NAME = 'Test Customer';
const ENTERED_ADDRESS = {
  city: 'San Francisco',
  country: 'US',
  line1: '1 Test Street',
  line2: null,
  postal_code: '94107',
  state: 'CA',
};

/** Returns the customer of a session that is paid, a new one if it has none yet; null when it needs none. */
export function payingCustomer(unit: UnitOfWork, session: CheckoutSession): Customer | null {
  const existing = customerOrNull(unit, session.customer);
  if (existing || session.mode === 'setup') return existing;
  if (session.mode === 'payment' && session.customer_creation !== 'always') return null;
  const email = session.customer_email ?? ENTERED_EMAIL;
  const customer = newCustomer(unit, { email, name: ENTERED_NAME, metadata: {} });
  return unit.create('customer', customer, 'customer.created');
}

/**
 * Saves what the customer entered: the e-mail address of one without, and the name and the address if the session may
 * update them.
 */
export function withEnteredDetails(
  unit: UnitOfWork,
  { session, plan }: { session: CheckoutSession; plan: CheckoutPlan },
  customer: Customer | null,
): Customer | null {
  if (!customer) return customer;
  const { name } = plan.updates;
  const address = plan.updates.address || (session.automatic_tax.enabled && session.customer === null);
  const isPrecise = !session.automatic_tax.enabled || taxLocationOf(unit, customer) !== null;
  const changes = {
    email: customer.email ?? ENTERED_EMAIL,
    ...(address ? { address: (isPrecise ? customer.address : null) ?? ENTERED_ADDRESS } : {}),
    ...(name ? { name: customer.name ?? ENTERED_NAME } : {}),
  };
  return unit.update('customer', customer, changes);
}
