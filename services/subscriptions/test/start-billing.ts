import type { InvoiceId } from '@billing/contracts/ids';
import { PriceCreated } from '@billing/contracts/events/catalog';
import { newEvent } from '@billing/testing/events';
import { deliveredAgain } from '@billing/testing/processor-events';
import { objectOf, type Service } from './service.ts';
import { saveCard, startPayment, subscribe } from './start-payment.ts';

const HANDLED_TYPES = [
  'invoice.updated',
  'invoice.finalized',
  'invoice.paid',
  'invoice.payment_failed',
  'invoice.voided',
  'invoice.deleted',
] as const;

/** A project with a customer who is billed beside subscriptions: to the saved card, or without one. */
export async function startBilling(service: Service, { card = 'pm_card_visa' }: { card?: string | null } = {}) {
  const project = await startPayment(service);
  const { scope, customer } = project;
  const { dashboard } = service.account;
  const { processorCustomerId } = customer;
  if (card) await saveCard(service, processorCustomerId, card);
  const { price, product } = await service.createPrice({ recurring: false }, scope);
  const call = (method: 'GET' | 'POST' | 'DELETE', path: string, body?: object, headers: Record<string, string> = {}) =>
    service.call(method, path, { of: scope, ...(body && { body }), headers });
  const wanted = (body: object) => ({ customerId: customer.id, collect: 'saved', ...body });
  /** All manual invoices that there are at the processor. */
  const made = async () =>
    (await dashboard.invoices.list({ customer: processorCustomerId, limit: 100 })).data.filter(
      it => it.billing_reason === 'manual',
    );
  return {
    ...project,
    price,
    product,
    made,
    create: (body: object, headers?: Record<string, string>) => call('POST', '/invoices', wanted(body), headers),
    preview: (body: object) => call('POST', '/invoices/preview', wanted(body)),
    finalize: (id: InvoiceId, headers?: Record<string, string>) =>
      call('POST', `/invoices/${id}/finalize`, undefined, headers),
    send: (id: InvoiceId) => call('POST', `/invoices/${id}/send`),
    markPaid: (id: InvoiceId) => call('POST', `/invoices/${id}/mark-paid`),
    remove: (id: InvoiceId) => call('DELETE', `/invoices/${id}`),
    item: (subscriptionId: string, line: object, headers?: Record<string, string>) =>
      call('POST', `/subscriptions/${subscriptionId}/invoice-items`, line, headers),
    items: (subscriptionId: string) => call('GET', `/subscriptions/${subscriptionId}/invoice-items`),
    removeItem: (subscriptionId: string, itemId: string) =>
      call('DELETE', `/subscriptions/${subscriptionId}/invoice-items/${itemId}`),
    /** A price that cannot be billed once. */
    newPrice: async (kind: 'recurring' | 'inactive') => {
      const created = await service.createPrice({ recurring: kind === 'recurring' }, scope);
      if (kind === 'recurring') return created;
      const inactive = { ...created, price: { ...created.price, isActive: false, version: 2 } };
      service.prices.set(created.price.id, inactive);
      await service.deliver(newEvent(PriceCreated, scope.teamId, inactive.price));
      return inactive;
    },
    atProcessor: ({ processorInvoiceId }: { readonly processorInvoiceId: string }) =>
      dashboard.invoices.retrieve(processorInvoiceId),
    /** The processor's events of a type about the customer's invoices, also those that this service does not handle. */
    processorEvents: async (type: string) =>
      (await dashboard.events.list({ type, limit: 100 })).data.filter(
        ({ data: { object } }) => Reflect.get(object, 'customer') === processorCustomerId,
      ),
    deliverEvents: async () => {
      for (const event of await service.account.events(scope, ...HANDLED_TYPES))
        if (objectOf(event)['customer'] === processorCustomerId) await service.deliver(deliveredAgain(event));
    },
    /** A subscription of the customer, recorded here. */
    subscribe: async () => {
      const events = await subscribe(service, project);
      for (const event of events('customer.subscription.created')) await service.deliver(event);
      const [subscription] = await project.subscriptions();
      if (!subscription) throw new Error('The subscription is not recorded.');
      return { id: String(subscription['id']), processorId: String(subscription['processorSubscriptionId']) };
    },
  };
}
