import { processorEvent, type ProcessorEventType } from '@billing/contracts/processor-events';
import type { Envelope } from '@billing/contracts/event';
import { routedEvent } from '@billing/testing/processor-events';
import { chargeObject, disputeObject, paymentIntentObject, refundObject } from './payloads.ts';
import type { Service } from './service.ts';
import { startProject } from './start-project.ts';

const OBJECTS = {
  payment_intent: paymentIntentObject,
  charge: chargeObject,
  'charge.dispute': disputeObject,
  'charge.refund': refundObject,
  refund: refundObject,
} as const;

/** A project with one customer, and the events of one payment. */
export async function startPayment(service: Service, { hasCopy = true } = {}) {
  const project = await startProject(service, { hasCopy });
  const { scope, customer } = project;
  return {
    ...project,
    event: (type: ProcessorEventType, at: Date, changes: Record<string, unknown> = {}): Envelope => {
      const kind = Object.keys(OBJECTS).findLast(name => type.startsWith(`${name}.`)) as keyof typeof OBJECTS; // a type of these tests
      const object = OBJECTS[kind]({
        ...(kind === 'charge' || kind === 'payment_intent' ? { customer: customer.processorCustomerId } : {}),
        ...changes,
      });
      return routedEvent(scope, type, object, { createdAt: at });
    },
    payments: async (query = ''): Promise<Record<string, unknown>[]> =>
      (await service.call('GET', `/payments${query}`, { of: scope })).body.payments,
  };
}

/** Has the customer pay a subscription at the processor; returns the routed events of that, by type. */
export async function subscribe(service: Service, { scope, customer }: Awaited<ReturnType<typeof startPayment>>) {
  const { price } = await service.createPrice({}, scope);
  const lines = [{ priceId: price.processorPriceId, quantity: 1 }];
  const urls = { successUrl: 'https://shop.example/ok', cancelUrl: 'https://shop.example/no' };
  const { processorCustomerId: customerId } = customer;
  const session = { mode: 'subscription', customerId, lines, ...urls, metadata: {} } as const;
  const before = new Set((await service.account.events(scope)).map(eventIdOf));
  await service.control.checkout((await service.processor.createCheckoutSession(session, customerId)).id);
  const events = (await service.account.events(scope)).filter(event => !before.has(eventIdOf(event)));
  return (...types: ProcessorEventType[]) =>
    types.map(type => events.find(({ type: name }) => name === processorEvent(type).name) ?? fail(type));
}
const eventIdOf = ({ data }: Envelope): unknown => Reflect.get(Object(data), 'eventId');
export const fail = (type: string): never => {
  throw new Error(`The processor sent no ${type}.`);
};

/** Saves a card of the processor's test cards, which is what the customer is charged to from then on. */
export async function saveCard({ account: { dashboard } }: Service, customer: string, card: string): Promise<void> {
  const method = await dashboard.paymentMethods.attach(card, { customer });
  await dashboard.customers.update(customer, { invoice_settings: { default_payment_method: method.id } });
}
