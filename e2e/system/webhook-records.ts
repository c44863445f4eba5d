import { waitFor } from '@billing/testing/wait-for';
import { findFreePort } from '@billing/embedded-servers/free-port';
import { ok } from './http.ts';
import { newCustomer, type Tenant } from './tenant.ts';

/** Creates an endpoint of a server that nobody runs, which gets no events by itself, and returns its id. */
export async function newWebhookEndpoint({ api, P }: Tenant): Promise<string> {
  const wanted = { url: 'https://hooks.example/billing?token=planted', eventTypes: ['webhook_endpoint.disabled'] };
  return String((await ok(api.post(`${P}/webhook-endpoints`, wanted), 201)).webhookEndpoint.id);
}

/** Waits for the first event of an object, and returns its id. */
export async function eventOf({ api, P }: Tenant, objectId: string): Promise<string> {
  const { id } = await waitFor(async () => (await ok(api.get(`${P}/events?objectId=${objectId}`))).events[0], {
    what: `the event of ${objectId}`,
    intervalMs: 50,
  });
  return String(id);
}

/** Has the event of a customer's creation sent to a new endpoint, where it fails, and returns the ids of the three. */
export async function newDelivery(tenant: Tenant, customerId: string) {
  const { api, P } = tenant;
  const [webhookEndpointId, publicEventId] = [await newWebhookEndpoint(tenant), await eventOf(tenant, customerId)];
  const sending = api.post(`${P}/webhook-endpoints/${webhookEndpointId}/send`, { eventId: publicEventId });
  const webhookDeliveryId = String((await ok(sending, 202)).delivery.id);
  const isTried = async () => (await ok(api.get(`${P}/webhook-deliveries/${webhookDeliveryId}`))).delivery.attempts > 0;
  await waitFor(isTried, { what: 'the first attempt', intervalMs: 50 });
  return { webhookEndpointId, publicEventId, webhookDeliveryId };
}

/** What tenants see of webhooks to them, one of each. */
export interface WebhookRecords {
  readonly endpointId: string;
  readonly deliveryId: string;
  readonly publicEventId: string;
}

interface EndpointTexts {
  readonly path?: string;
  readonly description?: string;
}

/** Failures one after another, after which an endpoint counts as failing. */
const FAILURES = 5;

/** Gives a tenant an endpoint where nothing listens, with so many events tried in vain that it counts as failing. */
export async function newFailingEndpoint(
  tenant: Tenant,
  { path = '/hook', description = 'The shop' }: EndpointTexts = {},
): Promise<WebhookRecords> {
  const { user, P } = tenant;
  const url = `http://127.0.0.1:${await findFreePort()}${path}`;
  const { webhookEndpoint } = await ok(user.post(`${P}/webhook-endpoints`, { url, description }), 201);
  for (let made = 0; made < FAILURES; made += 1) await newCustomer(tenant);
  const isFailing = async () =>
    (await ok(user.get(`${P}/webhook-endpoints/${webhookEndpoint.id}`))).webhookEndpoint.status === 'failing';
  await waitFor(isFailing, { what: 'the endpoint to count as failing' });
  const { deliveries } = await ok(user.get(`${P}/webhook-deliveries?endpointId=${webhookEndpoint.id}`));
  const delivery = deliveries.find(({ attempts }: { readonly attempts: number }) => attempts > 0);
  return { endpointId: webhookEndpoint.id, deliveryId: delivery.id, publicEventId: delivery.eventId };
}
