import type { UnitOfWork } from '../api/unit-of-work.ts';
import { newId } from '../domain/ids.ts';
import { nulls } from './nulls.ts';
import type { Customer } from './stored.ts';

type NewCustomer = Pick<Customer, 'email' | 'metadata' | 'name'> & { test_clock?: string | null };

/** Returns a customer with default values for all other fields. */
export function newCustomer(unit: UnitOfWork, given: NewCustomer): Customer {
  return {
    id: newId('cus_', 14),
    object: 'customer',
    ...nulls('address currency customer_account default_source description discount phone shipping'),
    balance: 0,
    created: unit.now,
    delinquent: false,
    email: given.email,
    invoice_prefix: newId('', 8).toUpperCase(),
    invoice_settings: { custom_fields: null, default_payment_method: null, footer: null, rendering_options: null },
    livemode: unit.livemode,
    metadata: given.metadata,
    name: given.name ?? null,
    next_invoice_sequence: 1,
    preferred_locales: [],
    tax_exempt: 'none',
    test_clock: given.test_clock ?? null,
  };
}
