import type { Stripe } from 'stripe';
import { z } from 'zod';
import { endpoint } from '../api/endpoint.ts';
import { invalidRequest, noSuch } from '../api/errors.ts';
import { createdWithin, listPage } from '../api/lists.ts';
import { mergeMetadata } from '../api/metadata.ts';
import { created, expand, integer, metadata, page, parameters, text, unsettableText } from '../api/parameters.ts';
import type { UnitOfWork } from '../api/unit-of-work.ts';
import { endSubscription } from '../billing/subscriptions.ts';
import { isDeleted, liveCustomer, newCustomer } from '../objects/customer.ts';
import { attachable } from '../objects/payment-method.ts';
import { clockOf, inItsTime } from '../objects/test-clock.ts';
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

const fields = {
  address: z.union([z.literal('').transform(() => null), address]).optional(),
  balance: integer(-99_999_999_999, 99_999_999_999).optional(),
  description: unsettableText().optional(),
  email: unsettableText(512).optional(),
  expand,
  invoice_settings: z.strictObject({ default_payment_method: unsettableText().optional() }).optional(),
  metadata: metadata.optional(),
  name: unsettableText(256).optional(),
  phone: unsettableText(20).optional(),
  preferred_locales: z.array(z.string()).optional(),
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
  endpoint('GET', '/v1/customers', listParameters, listCustomers),
  endpoint('GET', '/v1/customers/:id', parameters<Stripe.CustomerRetrieveParams>()({ expand }), (unit, _, { id }) =>
    findCustomer(unit, id),
  ),
  endpoint('POST', '/v1/customers/:id', updateParameters, (unit, given, { id }) => updateCustomer(unit, id, given)),
  endpoint('DELETE', '/v1/customers/:id', parameters<object>()({}), (unit, _, { id }) => deleteCustomer(unit, id)),
];

type Given = z.output<typeof updateParameters>;

function createCustomer(unit: UnitOfWork, given: z.output<typeof createParameters>): Customer {
  const testClock = given.test_clock ?? null;
  if (testClock !== null && !clockOf(unit, { test_clock: testClock }))
    throw noSuch('testclock', testClock, 'test_clock');
  inItsTime(unit, { test_clock: testClock });
  const draft = newCustomer(unit, {
    testClock,
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
  const resolved = isAttached ? { ...given, invoice_settings: { default_payment_method: attached.id } } : given;
  const customer: Customer = { ...draft, ...changesOf(unit, draft, resolved) };
  unit.create('customer', customer);
  unit.emit('customer.created', customer);
  if (attached) unit.emit('payment_method.attached', attached);
  return customer;
}

function updateCustomer(unit: UnitOfWork, id: string, given: Given): Customer {
  const customer = liveCustomer(unit, id);
  return unit.update('customer', customer, changesOf(unit, customer, given), 'customer.updated');
}

/** Returns the changes to a customer; absent parameters change nothing. */
function changesOf(unit: UnitOfWork, customer: Customer, given: Given): Partial<Customer> {
  const { address: newAddress, invoice_settings: settings, email, preferred_locales: locales } = given;
  if (email && !/^[^\s@]+@[^\s@]+$/.test(email))
    throw invalidRequest(`Invalid email address: ${email}`, { code: 'email_invalid', param: 'email' });
  const card = settings?.default_payment_method;
  if (card && unit.tables.payment_method.get(card)?.customer !== customer.id)
    throw noSuch('PaymentMethod', card, 'invoice_settings[default_payment_method]');
  return {
    metadata: mergeMetadata(customer.metadata, given.metadata),
    ...(newAddress === undefined ? {} : { address: fullAddress(newAddress) }),
    ...(given.balance === undefined ? {} : { balance: given.balance }),
    ...(given.description === undefined ? {} : { description: given.description }),
    ...(email === undefined ? {} : { email }),
    ...(given.name === undefined ? {} : { name: given.name }),
    ...(given.phone === undefined ? {} : { phone: given.phone }),
    ...(locales === undefined ? {} : { preferred_locales: locales }),
    ...(card === undefined ? {} : { invoice_settings: { ...customer.invoice_settings, default_payment_method: card } }),
  };
}

function fullAddress(given: z.output<typeof address> | null): Stripe.Address | null {
  if (given === null) return null;
  const { city = null, country = null, line1 = null, line2 = null, postal_code = null, state = null } = given;
  return { city, country, line1, line2, postal_code, state };
}

function listCustomers(unit: UnitOfWork, given: z.output<typeof listParameters>, { url }: { url: string }) {
  const { email, test_clock: clock = null } = given;
  const { customer } = unit.tables;
  const isInTime = createdWithin(given.created);
  const isWanted = (row: Customer | DeletedCustomer) =>
    !isDeleted(row) && (row.test_clock ?? null) === clock && isInTime(row);
  // Stripe's email filter is case-sensitive.
  return listPage(
    email === undefined ? customer : customer.withField('email', email),
    given,
    url,
    'customer',
    isWanted,
  );
}

function findCustomer(unit: UnitOfWork, id: string): Customer | DeletedCustomer {
  const customer = unit.tables.customer.get(id);
  if (!customer) throw noSuch('customer', id);
  return customer;
}

/** Deletes a customer and cancels its subscriptions at once; only a stub remains. */
export function deleteCustomer(unit: UnitOfWork, id: string): DeletedCustomer {
  const customer = liveCustomer(unit, id);
  for (const subscription of unit.tables.subscription.withField('customer', id))
    if (!hasEnded(subscription)) endSubscription(unit, subscription, 'cancellation_requested');
  const stub: DeletedCustomer = { id, object: 'customer', deleted: true };
  unit.tables.customer.put(stub);
  unit.emit('customer.deleted', customer);
  return stub;
}
