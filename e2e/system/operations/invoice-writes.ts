import { newInvoiceItem, newOpenInvoice, newSentInvoice } from '../billing-records.ts';
import { newCustomer, newSubscription, type Tenant } from '../tenant.ts';
import { byKey, is, type Prepared, type PrepareWrite } from './write.ts';

const SETUP = { description: 'Setup', amount: 4_900 };

/** Posts to a new invoice. */
const post =
  (path: string, create: (prepared: Prepared) => Promise<string>): PrepareWrite =>
  async prepared => {
    const { api, P } = prepared.tenant;
    const id = await create(prepared);
    return byKey(() => api.post(`${P}/invoices/${id}/${path}`), is('invoice', id));
  };

const open = ({ tenant, resources: { priceId } }: Prepared) => newOpenInvoice(tenant, priceId);
const sent = async ({ tenant }: Prepared) => (await newSentInvoice(tenant)).id;
const draft = async ({ tenant }: { readonly tenant: Tenant }) => (await newSentInvoice(tenant, { draft: true })).id;

/** How each write about invoices is made once. */
export const INVOICE_WRITES: Readonly<Record<string, PrepareWrite>> = {
  createInvoice: async ({ tenant }) => {
    const customerId = await newCustomer(tenant);
    const invoice = { customerId, lines: [SETUP], currency: 'usd', collect: 'invoice' };
    return byKey(
      () => tenant.api.post(`${tenant.P}/invoices`, invoice),
      body => ({ type: 'invoice', id: body.invoice.id }),
    );
  },
  finalizeInvoice: post('finalize', draft),
  deleteInvoice: async ({ tenant }) => {
    const id = await draft({ tenant });
    return byKey(() => tenant.api.delete(`${tenant.P}/invoices/${id}`), is('invoice', id));
  },
  sendInvoice: post('send', sent),
  markInvoicePaid: post('mark-paid', sent),
  voidInvoice: post('void', open),
  retryInvoice: post('retry', open),
  markInvoiceUncollectible: post('mark-uncollectible', open),
  createInvoiceItem: async ({ tenant, resources: { priceId } }) => {
    const { id } = await newSubscription(tenant, priceId);
    return byKey(() => tenant.api.post(`${tenant.P}/subscriptions/${id}/invoice-items`, SETUP), is('subscription', id));
  },
  deleteInvoiceItem: async ({ tenant, resources: { priceId } }) => {
    const { id } = await newSubscription(tenant, priceId);
    const itemId = await newInvoiceItem(tenant, id);
    const path = `${tenant.P}/subscriptions/${id}/invoice-items/${itemId}`;
    return byKey(() => tenant.api.delete(path), is('subscription', id));
  },
};
