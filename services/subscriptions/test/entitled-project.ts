import { PriceCreated, ProductCreated } from '@billing/contracts/events/catalog';
import { ProductFeatureSaved, FeatureSaved, GrantSaved } from '@billing/contracts/events/features';
import { ProjectUpdated } from '@billing/contracts/events/gateway';
import { newEvent } from '@billing/testing/events';
import { routedEvent } from '@billing/testing/processor-events';
import { projectState } from '@billing/testing/projects';
import { anInvoice, invoiceObject } from './payloads.ts';
import type { Service } from './service.ts';
import { startProject } from './start-project.ts';

export const DAY_MS = 86_400_000;
export const seconds = (time: Date) => Math.floor(time.getTime() / 1_000);

/** Starts a project with a product that gives three seats for each that is subscribed to, and single sign-on. */
export async function startEntitledProject(service: Service) {
  const project = await startProject(service);
  const { scope, customer, base } = project;
  const { teamId, projectId } = scope;
  const { product, price } = await service.createPrice({}, scope);
  const feature = { projectId, values: null, merge: null, isActive: true, version: 1 };
  const productFeature = { projectId, ownerId: product.id, per: 'subscription', version: 1 } as const;
  for (const event of [
    newEvent(ProductCreated, teamId, product),
    newEvent(PriceCreated, teamId, price),
    newEvent(FeatureSaved, teamId, { ...feature, key: 'sso', type: 'boolean' }),
    newEvent(FeatureSaved, teamId, { ...feature, key: 'seats', type: 'limit', merge: 'sum' }),
    newEvent(ProductFeatureSaved, teamId, { ...productFeature, key: 'sso', value: true }),
    newEvent(ProductFeatureSaved, teamId, { ...productFeature, key: 'seats', value: 3, per: 'quantity' }),
  ])
    await service.deliver(event);
  const grant = { projectId, customerId: customer.id, key: 'seats', value: 1, expiresAt: null, version: 1 };
  const invoice = anInvoice({ id: `in_${projectId}`, customer: customer.processorCustomerId, subscription: base.id });
  /** What may happen; none of it is delivered. */
  const events = {
    subscribed: (at: Date, changes: object = {}) =>
      project.event('customer.subscription.updated', at, {
        priceId: price.processorPriceId,
        quantity: 4,
        periodEnd: new Date(Date.now() + 20 * DAY_MS),
        ...changes,
      }),
    failed: (at: Date) => {
      const failed = {
        status: 'open',
        attempted: true,
        attempt_count: 2,
        next_payment_attempt: seconds(new Date(at.getTime() + 3 * DAY_MS)),
        status_transitions: { finalized_at: seconds(at) },
        amount_paid: 0,
        amount_remaining: 2_999,
      };
      const object = { ...invoiceObject(invoice), ...failed };
      return routedEvent(scope, 'invoice.payment_failed', object, { createdAt: at });
    },
    paid: (at: Date) => routedEvent(scope, 'invoice.paid', invoiceObject(invoice), { createdAt: at }),
    given: (changes: object) => newEvent(GrantSaved, teamId, { ...grant, ...changes }),
    productFeatureSaved: (changes: object) =>
      newEvent(ProductFeatureSaved, teamId, { ...productFeature, key: 'seats', value: 1, ...changes }),
    defined: (changes: object) =>
      newEvent(FeatureSaved, teamId, { ...feature, key: 'seats', type: 'limit', merge: 'sum', ...changes }),
    settled: (changes: object) => newEvent(ProjectUpdated, teamId, projectState({ teamId, projectId }, changes)),
  };
  return {
    ...project,
    product,
    price,
    events,
    subscribe: (at: Date, changes: object = {}) => service.deliver(events.subscribed(at, changes)),
    fail: (at: Date) => service.deliver(events.failed(at)),
    give: (changes: object) => service.deliver(events.given(changes)),
    giveByProduct: (changes: object) => service.deliver(events.productFeatureSaved(changes)),
    state: async () => (await service.call('GET', `/customers/${customer.id}/state`, { of: scope })).body.state,
  };
}
