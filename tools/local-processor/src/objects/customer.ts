import type { Stripe } from 'stripe';
import type { Unit } from '../api/unit.ts';
import { noSuch } from '../api/failure.ts';
import { newId } from '../domain/ids.ts';
import type { Customer } from './stored.ts';

interface NewCustomer {
  email: string | null;
  name: string | null;
  metadata: Stripe.Metadata;
}

/** A customer with nothing but what is given. */
export function newCustomer(unit: Unit, given: NewCustomer): Customer {
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
    test_clock: null,
  };
}

/** The customer of this id that has not been deleted, or Stripe's failure; `param` names where the id stood. */
export function liveCustomer(unit: Unit, id: string, param = 'id'): Customer {
  const customer = unit.tables.customer.get(id);
  if (!customer || isDeleted(customer)) throw noSuch('customer', id, param);
  return customer;
}

/** The customer of this id, or null if it was deleted meanwhile or there is none. */
export function customerOrNull(unit: Unit, id: string | null): Customer | null {
  const customer = id === null ? undefined : unit.tables.customer.get(id);
  return customer && !isDeleted(customer) ? customer : null;
}

/** True for the stub that a deleted customer leaves. */
export function isDeleted(row: object): row is { deleted: true; id: string } {
  return 'deleted' in row && row.deleted === true;
}
