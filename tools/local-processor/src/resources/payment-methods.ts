import type { Stripe } from 'stripe';
import { endpoint, endpointOn, onlyExpand } from '../api/endpoint.ts';
import { invalidRequest, noSuch } from '../api/errors.ts';
import { listPage } from '../api/lists.ts';
import { choice, expand, page, parameters, text } from '../api/parameters.ts';
import type { UnitOfWork } from '../api/unit-of-work.ts';
import { customerOrNull, existing } from '../objects/finding.ts';
import { attach, attachable } from '../objects/payment-method.ts';
import type { PaymentMethod } from '../objects/stored.ts';

const listParameters = parameters<Stripe.PaymentMethodListParams>()({
  ...page,
  customer: text().optional(),
  type: choice('card', 'us_bank_account').optional(),
});

export const paymentMethodEndpoints = [
  endpoint('GET', '/v1/payment_methods', listParameters, (unit, { customer: id, type, ...given }, { url }) => {
    const customer = id === undefined ? null : existing(unit, 'customer', id, 'customer');
    const rows = customer ? unit.tables.payment_method.withField('customer', customer.id) : [];
    const ofType = rows.filter(row => type === undefined || row.type === type);
    return listPage(ofType, given, url, 'PaymentMethod');
  }),
  endpointOn('payment_method', 'GET', '/v1/payment_methods/:id', onlyExpand, (_, method) => method),
  // A test card of Stripe becomes a payment method when it is attached.
  endpoint(
    'POST',
    '/v1/payment_methods/:id/attach',
    parameters<Stripe.PaymentMethodAttachParams>()({ customer: text(), expand }),
    (unit, given, { id }) => attachTo(unit, id, given.customer),
  ),
  endpointOn('payment_method', 'POST', '/v1/payment_methods/:id/detach', onlyExpand, detach),
];

function attachTo(unit: UnitOfWork, id: string, customerId: string): PaymentMethod {
  const customer = existing(unit, 'customer', customerId, 'customer');
  const method = attachable(unit, id);
  if (!method) throw noSuch('PaymentMethod', id);
  if (method.customer === customer.id) return method;
  if (method.customer !== null)
    throw invalidRequest(
      'The payment method you provided has already been attached to a customer.',
      'payment_method',
      'payment_method_unexpected_state',
    );
  return attach(unit, method, customer);
}

/** Detaches a card from its customer and removes it as the default of the customer and of subscriptions. */
function detach(unit: UnitOfWork, method: PaymentMethod): PaymentMethod {
  const { id } = method;
  const owner = customerOrNull(unit, method.customer);
  if (!owner)
    throw invalidRequest(
      'The payment method you provided is not attached to a customer so detachment is impossible.',
      'payment_method',
      'payment_method_unexpected_state',
    );
  const detached = unit.update('payment_method', method, { customer: null });
  unit.emit('payment_method.detached', detached, { customer: owner.id });
  if (owner.invoice_settings.default_payment_method === id) {
    const invoice_settings = { ...owner.invoice_settings, default_payment_method: null };
    unit.update('customer', owner, { invoice_settings });
  }
  for (const row of unit.tables.subscription.withField('customer', owner.id))
    if (row.default_payment_method === id) unit.update('subscription', row, { default_payment_method: null });
  return detached;
}
