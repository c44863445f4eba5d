import { waitFor } from '@billing/testing/wait-for';
import { freePort } from './free-port.ts';
import { ok } from './http.ts';
import { newCustomer, type Tenant } from './tenant.ts';

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

/** Gives a tenant an endpoint where nothing listens, and an event that was tried there in vain. */
export async function newFailedDelivery(
  tenant: Tenant,
  { path = '/hook', description = 'The shop' }: EndpointTexts = {},
): Promise<WebhookRecords> {
  const { user, P } = tenant;
  const url = `http://127.0.0.1:${await freePort()}${path}`;
  const { webhookEndpoint } = await ok(user.post(`${P}/webhook-endpoints`, { url, description }), 201);
  await newCustomer(tenant);
  const delivery = await waitFor(
    async () => {
      const { deliveries } = await ok(user.get(`${P}/webhook-deliveries?endpointId=${webhookEndpoint.id}`));
      return deliveries.find(({ attempts }: { readonly attempts: number }) => attempts > 0);
    },
    { what: 'an attempt' },
  );
  return { endpointId: webhookEndpoint.id, deliveryId: delivery.id, publicEventId: delivery.eventId };
}
