import type { Stripe } from 'stripe';
import type { z } from 'zod';
import { endpoint } from '../api/endpoint.ts';
import { invalidRequest, noSuch } from '../api/errors.ts';
import { listPage } from '../api/lists.ts';
import { choice, expand, page, parameters, text } from '../api/parameters.ts';
import type { UnitOfWork } from '../api/unit-of-work.ts';
import { customerOrNull, liveCustomer } from '../objects/customer.ts';
import { attach, attachable } from '../objects/payment-method.ts';
import type { PaymentMethod } from '../objects/stored.ts';

const listParameters = parameters<Stripe.PaymentMethodListParams>()({
  ...page,
  customer: text().optional(),
  type: choice('card').optional(),
});

export const paymentMethodEndpoints = [
  endpoint('GET', '/v1/payment_methods', listParameters, listPaymentMethods),
  endpoint(
    'GET',
    '/v1/customers/:id/payment_methods',
    parameters<Stripe.CustomerListPaymentMethodsParams>()({ ...page, type: choice('card').optional() }),
    (unit, given, { id, url }) => {
      const customer = liveCustomer(unit, id);
      return listPage(unit.tables.payment_method.withField('customer', customer.id), given, url, 'PaymentMethod');
    },
  ),
  endpoint(
    'GET',
    '/v1/payment_methods/:id',
    parameters<Stripe.PaymentMethodRetrieveParams>()({ expand }),
    (unit, _, { id }) => existing(unit, id),
  ),
  endpoint(
    'POST',
    '/v1/payment_methods/:id/attach',
    parameters<Stripe.PaymentMethodAttachParams>()({ customer: text(), expand }),
    (unit, given, { id }) => attachTo(unit, id, given.customer),
  ),
  endpoint(
    'POST',
    '/v1/payment_methods/:id/detach',
    parameters<Stripe.PaymentMethodDetachParams>()({ expand }),
    (unit, _, { id }) => detach(unit, id),
  ),
];

function listPaymentMethods(unit: UnitOfWork, given: z.output<typeof listParameters>, { url }: { url: string }) {
  if (given.customer === undefined) return listPage<PaymentMethod>([], given, url, 'PaymentMethod');
  const customer = liveCustomer(unit, given.customer, 'customer');
  return listPage(unit.tables.payment_method.withField('customer', customer.id), given, url, 'PaymentMethod');
}

function attachTo(unit: UnitOfWork, id: string, customerId: string): PaymentMethod {
  const customer = liveCustomer(unit, customerId, 'customer');
  const method = attachable(unit, id);
  if (!method) throw noSuch('PaymentMethod', id);
  if (method.customer === customer.id) return method;
  if (method.customer !== null)
    throw invalidRequest('The payment method you provided has already been attached to a customer.', {
      code: 'payment_method_unexpected_state',
      param: 'payment_method',
    });
  return attach(unit, method, customer);
}

/** Detaches a card from its customer and removes it as the default of the customer and of subscriptions. */
function detach(unit: UnitOfWork, id: string): PaymentMethod {
  const method = existing(unit, id);
  const owner = customerOrNull(unit, method.customer);
  if (!owner)
    throw invalidRequest('The payment method you provided is not attached to a customer so detachment is impossible.', {
      code: 'payment_method_unexpected_state',
      param: 'payment_method',
    });
  const detached = unit.update('payment_method', method, { customer: null });
  unit.emit('payment_method.detached', detached, { customer: owner.id });
  if (owner.invoice_settings.default_payment_method === id) {
    const invoice_settings = { ...owner.invoice_settings, default_payment_method: null };
    unit.update('customer', owner, { invoice_settings }, 'customer.updated');
  }
  for (const row of unit.tables.subscription.withField('customer', owner.id))
    if (row.default_payment_method === id)
      unit.update('subscription', row, { default_payment_method: null }, 'customer.subscription.updated');
  return detached;
}

function existing(unit: UnitOfWork, id: string): PaymentMethod {
  const method = unit.tables.payment_method.get(id);
  if (!method) throw noSuch('PaymentMethod', id);
  return method;
}
