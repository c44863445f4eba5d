import { waitFor } from '@billing/testing/wait-for';
import { ok } from './http.ts';
import type { Tenant } from './tenant.ts';

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
