import { objectOf, OWNED_TYPES, type Service } from './service.ts';

interface Purchase {
  /** The price that is bought; a new one by default. */
  readonly priceId?: string;
  readonly quantity?: number;
  readonly trialDays?: number;
}

/** Buys a subscription in a checkout; all of its events have been delivered. */
export async function buySubscription(service: Service, { priceId, ...options }: Purchase = {}) {
  const customer = await service.createCustomer();
  const bought = priceId ?? (await service.createPrice()).price.id;
  const urls = { successUrl: 'https://shop.example/ok', cancelUrl: 'https://shop.example/no' };
  const body = { customerId: customer.id, priceId: bought, ...urls, ...options };
  const checkout = await service.call('POST', '/checkout', { body });
  await service.control.checkout(checkout.body.sessionId);
  const [created] = await service.processor.listSubscriptions(customer.processorCustomerId);
  if (!created) throw new Error('The checkout created no subscription.');
  const processorId = created.id;
  const events = async () =>
    (await service.account.events(service.scope, ...OWNED_TYPES)).filter(event => {
      const { id, subscription, released_subscription: released } = objectOf(event);
      return [id, subscription, released].includes(processorId);
    });
  const deliverEvents = async () => {
    for (const event of await events()) await service.deliver(event);
  };
  await deliverEvents();
  const list = await service.call('GET', `/subscriptions?customerId=${customer.id}`);
  const id: string = list.body.subscriptions[0].id;
  return {
    id,
    processorId,
    deliverEvents,
    events,
    get: async () => (await service.call('GET', `/subscriptions/${id}`)).body.subscription,
    atProcessor: () => service.processor.findSubscription(processorId),
  };
}
