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

/** Failures one after another, after which an endpoint counts as failing. */
const FAILURES = 5;

/** Gives a tenant an endpoint where nothing listens, with so many events tried in vain that it counts as failing. */
export async function newFailingEndpoint(
  tenant: Tenant,
  { path = '/hook', description = 'The shop' }: EndpointTexts = {},
): Promise<WebhookRecords> {
  const { user, P } = tenant;
  const url = `http://127.0.0.1:${await freePort()}${path}`;
  const { webhookEndpoint } = await ok(user.post(`${P}/webhook-endpoints`, { url, description }), 201);
  for (let made = 0; made < FAILURES; made += 1) await newCustomer(tenant);
  const isFailing = async () =>
    (await ok(user.get(`${P}/webhook-endpoints/${webhookEndpoint.id}`))).webhookEndpoint.status === 'failing';
  await waitFor(isFailing, { what: 'the endpoint to count as failing' });
  const { deliveries } = await ok(user.get(`${P}/webhook-deliveries?endpointId=${webhookEndpoint.id}`));
  const delivery = deliveries.find(({ attempts }: { readonly attempts: number }) => attempts > 0);
  return { endpointId: webhookEndpoint.id, deliveryId: delivery.id, publicEventId: delivery.eventId };
}
