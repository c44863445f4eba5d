import type { Service } from './service.ts';
import { saveCard, startPayment } from './start-payment.ts';

/** A project with a customer to whom subscriptions are sold without a page: charged to the saved card, or without one. */
export async function startSale(service: Service, { card = 'pm_card_visa' }: { card?: string | null } = {}) {
  const project = await startPayment(service);
  const { scope, customer } = project;
  const { dashboard } = service.account;
  const { processorCustomerId } = customer;
  if (card) await saveCard(service, processorCustomerId, card);
  const newPrice = (terms: Parameters<Service['createPrice']>[0] = {}) => service.createPrice(terms, scope);
  const { price, product } = await newPrice();
  const urls = { successUrl: 'https://shop.example/ok', cancelUrl: 'https://shop.example/no' };
  return {
    ...project,
    price,
    product,
    newPrice,
    /** Sells without a page, as the body says. */
    sell: (body: object, headers: Record<string, string> = {}) => {
      const priced = 'items' in body || 'priceId' in body ? {} : { priceId: price.id };
      return service.call('POST', '/checkout', {
        of: scope,
        body: { customerId: customer.id, collect: 'saved', ...priced, ...body },
        headers,
      });
    },
    /** Opens a page that sells the price. */
    openPage: (body: object = {}) =>
      service.call('POST', '/checkout', {
        of: scope,
        body: { customerId: customer.id, priceId: price.id, ...urls, ...body },
      }),
    /** All subscriptions that the customer has at the processor. */
    sold: async () =>
      (await dashboard.subscriptions.list({ customer: processorCustomerId, status: 'all', limit: 100 })).data,
    billed: async () => (await dashboard.invoices.list({ customer: processorCustomerId, limit: 100 })).data,
    atProcessor: ({ processorSubscriptionId }: { readonly processorSubscriptionId: string }) =>
      dashboard.subscriptions.retrieve(processorSubscriptionId),
  };
}
