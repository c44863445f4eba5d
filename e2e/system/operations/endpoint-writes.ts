import { waitFor } from '@billing/testing/wait-for';
import { newDelivery, newWebhookEndpoint } from '../webhook-records.ts';
import { byKey, is, type Prepared, type PrepareWrite } from './write.ts';

const byEndpoint = (
  { tenant: { api, P }, resources: { webhookEndpointId: id } }: Prepared,
  path: string,
  body: object,
) =>
  byKey(
    () => api.send(path === '' ? 'PATCH' : 'POST', `${P}/webhook-endpoints/${id}${path}`, body),
    is('webhook_endpoint', id),
  );

/** How each write about endpoints of tenants is made once. */
export const ENDPOINT_WRITES: Readonly<Record<string, PrepareWrite>> = {
  createWebhookEndpoint: ({ tenant: { api, P } }) =>
    byKey(
      () => api.post(`${P}/webhook-endpoints`, { url: 'https://hooks.example/new?token=planted' }),
      body => ({ type: 'webhook_endpoint', id: body.webhookEndpoint.id }),
    ),
  updateWebhookEndpoint: prepared => byEndpoint(prepared, '', { url: 'https://hooks.example/?token=planted2' }),
  rotateWebhookSecret: prepared => byEndpoint(prepared, '/rotate-secret', {}),
  testWebhookEndpoint: prepared => byEndpoint(prepared, '/test', {}),
  recoverWebhookEvents: prepared =>
    byEndpoint(prepared, '/recover', { since: new Date(Date.now() - 3_600_000).toISOString(), only: 'failed' }),
  sendWebhookEvent: ({ tenant: { api, P }, resources: { webhookEndpointId, publicEventId: eventId } }) =>
    byKey(
      () => api.post(`${P}/webhook-endpoints/${webhookEndpointId}/send`, { eventId }),
      body => ({ type: 'webhook_delivery', id: body.delivery.id }),
    ),
  retryWebhookDelivery: async ({ tenant, resources: { customerId } }) => {
    const { webhookDeliveryId: id } = await newDelivery(tenant, customerId);
    // While it is tried again by itself, it is 409.
    const retry = async () => {
      const response = await tenant.api.post(`${tenant.P}/webhook-deliveries/${id}/retry`);
      return response.status === 409 ? undefined : response;
    };
    return byKey(() => waitFor(retry, { what: 'the delivery to be free' }), is('webhook_delivery', id));
  },
  deleteWebhookEndpoint: async ({ tenant }) => {
    const id = await newWebhookEndpoint(tenant);
    return byKey(() => tenant.api.delete(`${tenant.P}/webhook-endpoints/${id}`), is('webhook_endpoint', id));
  },
};
