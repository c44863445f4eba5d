import type { Stripe } from 'stripe';
import { z } from 'zod';
import { endpoint, endpointOn, lists, noParameters, onlyExpand } from '../api/endpoint.ts';
import { invalidRequest, noSuch } from '../api/errors.ts';
import { mergeMetadata } from '../api/metadata.ts';
import {
  choice,
  created,
  empty,
  expand,
  integer,
  metadata,
  page,
  parameters,
  text,
  unsettableText,
} from '../api/parameters.ts';
import { type Changes, defined, type UnitOfWork } from '../api/unit-of-work.ts';
import { requireTaxLocation, taxLocationOf } from '../billing/tax.ts';
import { endSubscription } from '../billing/subscriptions.ts';
import { newCustomer } from '../objects/customer.ts';
import { existing, inItsTime } from '../objects/finding.ts';
import { attachable } from '../objects/payment-method.ts';
import { hasEnded } from '../objects/subscription.ts';
import type { Customer, DeletedCustomer } from '../objects/stored.ts';

const address = z.strictObject({
  city: unsettableText().optional(),
  country: unsettableText().optional(),
  line1: unsettableText().optional(),
  line2: unsettableText().optional(),
  postal_code: unsettableText().optional(),
  state: unsettableText().optional(),
});

export const customField = z.strictObject({ name: text(40), value: text(140) });

const fields = {
  address: z.union([empty, address]).optional(),
  balance: integer(-99_999_999_999, 99_999_999_999).optional(),
  business_name: unsettableText(150).optional(),
  description: unsettableText().optional(),
  email: unsettableText(512).optional(),
  expand,
  invoice_settings: z
    .strictObject({
      custom_fields: z.union([empty, z.array(customField).max(4)]).optional(),
      default_payment_method: unsettableText().optional(),
    })
    .optional(),
  metadata: metadata.optional(),
  name: unsettableText(256).optional(),
  phone: unsettableText(20).optional(),
  preferred_locales: z.union([empty, z.array(z.string())]).optional(),
  tax: z.strictObject({ validate_location: choice('auto', 'deferred', 'immediately').optional() }).optional(),
  tax_exempt: z.union([empty, choice('exempt', 'none', 'reverse')]).optional(),
};

const createParameters = parameters<Stripe.CustomerCreateParams>()({
  ...fields,
  payment_method: unsettableText().optional(),
  test_clock: text().optional(),
});
const updateParameters = parameters<Stripe.CustomerUpdateParams>()(fields);
const listParameters = parameters<Stripe.CustomerListParams>()({
  ...page,
  created,
  email: z.string().optional(),
  test_clock: text().optional(),
});

export const customerEndpoints = [
  endpoint('POST', '/v1/customers', createParameters, createCustomer),
  // The stub of a deleted customer can be retrieved.
  endpoint('GET', '/v1/customers/:id', onlyExpand, (unit, _, { id }) => {
    const customer = unit.tables.customer.get(id);
    if (!customer) throw noSuch('customer', id);
    return customer;
  }),
  lists('customer', '/v1/customers', listParameters, {
    by: ['email'],
    isListed: (row, { test_clock: clock = null }) => (row.test_clock ?? null) === clock,
  }),
  endpointOn('customer', 'POST', '/v1/customers/:id', updateParameters, (unit, customer, given) =>
    unit.update('customer', customer, changesOf(unit, customer, given)),
  ),
  endpointOn('customer', 'DELETE', '/v1/customers/:id', noParameters, deleteCustomer),
];

type Given = z.output<typeof updateParameters>;

function createCustomer(unit: UnitOfWork, given: z.output<typeof createParameters>): Customer {
  const testClock = given.test_clock ?? null;
  if (testClock !== null) existing(unit, 'test_helpers.test_clock', testClock, 'test_clock');
  inItsTime(unit, { test_clock: testClock });
  const draft = newCustomer(unit, {
    test_clock: testClock,
    email: given.email ?? null,
    name: given.name ?? null,
    metadata: mergeMetadata({}, given.metadata),
  });
  const card = given.payment_method ? attachable(unit, given.payment_method) : null;
  if (card === undefined) throw noSuch('PaymentMethod', String(given.payment_method), 'payment_method');
  const attached = card && unit.update('payment_method', card, { customer: draft.id });
  const settings = given.invoice_settings;
  // The default may name the payment method that is attached by the same request.
  const isAttached = attached && settings?.default_payment_method === given.payment_method;
  const resolved = isAttached
    ? { ...given, invoice_settings: { ...settings, default_payment_method: attached.id } }
    : given;
  const customer: Customer = { ...draft, ...defined(changesOf(unit, draft, resolved)) };
  unit.create('customer', customer, 'customer.created');
  if (attached) unit.emit('payment_method.attached', attached);
  return customer;
}

/** Returns the changes to a customer; absent parameters change nothing. */
function changesOf(unit: UnitOfWork, customer: Customer, given: Given): Changes<Customer> {
  const { address: newAddress, invoice_settings: settings, email, preferred_locales: locales } = given;
  if (email && !/^[^\s@]+@[^\s@]+$/.test(email))
    throw invalidRequest(`Invalid email address: ${email}`, 'email', 'email_invalid');
  const card = settings?.default_payment_method;
  if (card && unit.tables.payment_method.get(card)?.customer !== customer.id)
    throw noSuch('PaymentMethod', card, 'invoice_settings[default_payment_method]');
  const changes = {
    metadata: mergeMetadata(customer.metadata, given.metadata),
    address: newAddress === undefined ? undefined : fullAddress(newAddress),
    balance: given.balance,
    business_name: given.business_name,
    description: given.description,
    email,
    name: given.name,
    phone: given.phone,
    preferred_locales: locales === null ? [] : locales,
    tax_exempt: given.tax_exempt === null ? ('none' as const) : given.tax_exempt,
    invoice_settings: { ...customer.invoice_settings, ...defined(settings ?? {}) },
  };
  checkLocation(unit, customer, { ...customer, ...defined(changes) }, given.tax?.validate_location);
  return changes;
}

/**
 * Checks that a customer whose address changes can be taxed: when that is wanted at once, or one who can be now is billed
 * with automatic tax. (Stripe: https://docs.stripe.com/tax/customer-locations)
 * @throws ApiError 400 `customer_tax_location_invalid`
 */
function checkLocation(unit: UnitOfWork, before: Customer, after: Customer, when = 'auto'): void {
  if (when === 'deferred') return;
  const isTaxed = () =>
    unit.tables.subscription.withField('customer', before.id).some(row => !hasEnded(row) && row.automatic_tax.enabled);
  if (when === 'immediately' || (taxLocationOf(unit, before) && isTaxed())) requireTaxLocation(unit, after);
}

function fullAddress(given: z.output<typeof address> | null): Stripe.Address | null {
  if (given === null) return null;
  const { city = null, country = null, line1 = null, line2 = null, postal_code = null, state = null } = given;
  return { city, country, line1, line2, postal_code, state };
}

/** Deletes a customer and cancels its subscriptions at once; only a stub remains. */
export function deleteCustomer(unit: UnitOfWork, customer: Customer): DeletedCustomer {
  const { id } = customer;
  for (const subscription of unit.tables.subscription.withField('customer', id))
    if (!hasEnded(subscription)) endSubscription(unit, subscription, 'cancellation_requested');
  for (const taxId of unit.tables.tax_id.withField('customer', id)) unit.tables.tax_id.remove(taxId.id);
  const stub: DeletedCustomer = { id, object: 'customer', deleted: true };
  unit.tables.customer.put(stub);
  unit.emit('customer.deleted', customer);
  return stub;
}
