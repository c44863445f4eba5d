import type { Stripe } from 'stripe';
import type { UnitOfWork } from '../api/unit-of-work.ts';
import { noSuch } from '../api/errors.ts';
import { newId } from '../domain/ids.ts';
import { inItsTime } from './test-clock.ts';
import type { Customer } from './stored.ts';

interface NewCustomer {
  email: string | null;
  name: string | null;
  metadata: Stripe.Metadata;
  testClock?: string | null;
}

/** Returns a customer with default values for all other fields. */
export function newCustomer(unit: UnitOfWork, given: NewCustomer): Customer {
  return {
    id: newId('cus_', 14),
    object: 'customer',
    address: null,
    balance: 0,
    created: unit.now,
    currency: null,
    customer_account: null,
    default_source: null,
    delinquent: false,
    description: null,
    discount: null,
    email: given.email,
    invoice_prefix: newId('', 8).toUpperCase(),
    invoice_settings: { custom_fields: null, default_payment_method: null, footer: null, rendering_options: null },
    livemode: unit.livemode,
    metadata: given.metadata,
    name: given.name,
    next_invoice_sequence: 1,
    phone: null,
    preferred_locales: [],
    shipping: null,
    tax_exempt: 'none',
    test_clock: given.testClock ?? null,
  };
}

/**
 * Returns the customer, in whose time the unit of work goes on.
 * @throws ApiError when it does not exist or was deleted; `param` is the parameter with the id
 */
export function liveCustomer(unit: UnitOfWork, id: string, param = 'id'): Customer {
  const customer = unit.tables.customer.get(id);
  if (!customer || isDeleted(customer)) throw noSuch('customer', id, param);
  return inItsTime(unit, customer);
}

/** Returns the customer, or null if it does not exist or was deleted. */
export function customerOrNull(unit: UnitOfWork, id: string | null): Customer | null {
  const customer = id === null ? undefined : unit.tables.customer.get(id);
  return customer && !isDeleted(customer) ? customer : null;
}

/** Returns whether a row is the stub of a deleted object. */
export function isDeleted(row: object): row is { deleted: true; id: string } {
  return 'deleted' in row && row.deleted === true;
}
