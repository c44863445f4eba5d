import { BillingError } from '@billing/client';
import { newEmail } from '../../system/tenant.ts';
import type { Action } from './action.ts';
import type { Buyer } from './history.ts';

/** Customers that change or are deleted, through the API and at the Stripe dashboard. */
export const CUSTOMER_ACTIONS = {
  'rename customer at processor': (buyer, _, number) => changeCustomer(buyer, { name: `Ada ${number}` }),
  'change e-mail at processor': buyer => changeCustomer(buyer, { email: newEmail() }),
  'change customer metadata at processor': (buyer, _, number) =>
    changeCustomer(buyer, { 'metadata[note]': `${number}` }),
  'rename customer': ({ tenant, customerId }, _, number) =>
    tenant.billing.customers.update(customerId, { name: `Grace ${number}`, metadata: { note: `${number}` } }),
  'delete customer at processor': ({ tenant, processorCustomerId }) =>
    tenant.callProcessor(`/v1/customers/${processorCustomerId}`, {}, 'DELETE'),
  'delete customer': ({ tenant, customerId }) => tenant.billing.customers.delete(customerId),
  'create customer again': async buyer => {
    const { billing, callProcessor } = buyer.tenant;
    const { email } = await callProcessor(`/v1/customers/${buyer.processorCustomerId}`);
    await billing.customers.delete(buyer.customerId).catch(ignoreNotFound);
    const customer = await billing.customers.create({ email: email ?? newEmail(), name: 'Again' });
    // One that was deleted at the processor is a new one there, too.
    const { id, processorCustomerId } = customer;
    if (email && processorCustomerId !== buyer.processorCustomerId)
      throw new Error(`${id} was linked to ${processorCustomerId} instead of ${buyer.processorCustomerId}.`);
    Object.assign(buyer, { customerId: id, processorCustomerId });
  },
} as const satisfies Record<string, Action>;

function ignoreNotFound(error: unknown): void {
  if (!(error instanceof BillingError && error.code === 'customer_not_found')) throw error;
}

const changeCustomer = ({ tenant, processorCustomerId }: Buyer, changes: Record<string, string>) =>
  tenant.callProcessor(`/v1/customers/${processorCustomerId}`, changes);
