import type { Stripe } from 'stripe';
import { z } from 'zod';
import { endpoint } from '../api/endpoint.ts';
import { invalidRequest, noSuch } from '../api/errors.ts';
import { listPage } from '../api/lists.ts';
import { mergeMetadata } from '../api/metadata.ts';
import { boolean, expand, metadata, page, parameters, reject, text, unsettableText, url } from '../api/parameters.ts';
import type { UnitOfWork } from '../api/unit-of-work.ts';
import { newId } from '../domain/ids.ts';
import type { WebhookEndpoint } from '../objects/stored.ts';

const MAX_ENDPOINTS = 16;

/** An API version: a date, followed by a name since 2024-09-30. */
const apiVersion = z
  .string()
  .transform((value, context) =>
    /^\d{4}-\d{2}-\d{2}(\.[a-z]+)?$/.test(value)
      ? value
      : reject(context, { message: `Invalid API version: ${value}. It looks like 2025-03-31.basil.` }),
  );

const enabledEvents = z.array(text()).min(1);

const createParameters = parameters<Stripe.WebhookEndpointCreateParams>()({
  api_version: apiVersion.optional(),
  description: unsettableText().optional(),
  enabled_events: enabledEvents,
  expand,
  metadata: metadata.optional(),
  url,
});
const updateParameters = parameters<Stripe.WebhookEndpointUpdateParams>()({
  description: unsettableText().optional(),
  disabled: boolean.optional(),
  enabled_events: enabledEvents.optional(),
  expand,
  metadata: metadata.optional(),
  url: url.optional(),
});

export const webhookEndpointEndpoints = [
  endpoint('POST', '/v1/webhook_endpoints', createParameters, createWebhookEndpoint),
  endpoint('GET', '/v1/webhook_endpoints', parameters<Stripe.WebhookEndpointListParams>()(page), (unit, given, ids) =>
    listPage(unit.tables.webhook_endpoint.newestFirst().map(withoutSecret), given, ids.url, 'webhook endpoint'),
  ),
  endpoint(
    'GET',
    '/v1/webhook_endpoints/:id',
    parameters<Stripe.WebhookEndpointRetrieveParams>()({ expand }),
    (unit, _, { id }) => withoutSecret(existing(unit, id)),
  ),
  endpoint('POST', '/v1/webhook_endpoints/:id', updateParameters, (unit, given, { id }) =>
    updateWebhookEndpoint(unit, id, given),
  ),
  endpoint('DELETE', '/v1/webhook_endpoints/:id', parameters<object>()({}), (unit, _, { id }) =>
    deleteWebhookEndpoint(unit, id),
  ),
];

/** Creates an endpoint. Only this response contains its signing secret. */
function createWebhookEndpoint(unit: UnitOfWork, given: z.output<typeof createParameters>): WebhookEndpoint {
  if (unit.tables.webhook_endpoint.size >= MAX_ENDPOINTS)
    throw invalidRequest(`You have reached the maximum of ${MAX_ENDPOINTS} test webhook endpoints.`);
  return unit.create('webhook_endpoint', {
    id: newId('we_1'),
    object: 'webhook_endpoint',
    api_version: given.api_version ?? null,
    application: null,
    created: unit.now,
    description: given.description ?? null,
    enabled_events: given.enabled_events,
    livemode: unit.livemode,
    metadata: mergeMetadata({}, given.metadata),
    secret: newId('whsec_', 32),
    status: 'enabled',
    url: given.url,
  });
}

function updateWebhookEndpoint(
  unit: UnitOfWork,
  id: string,
  given: z.output<typeof updateParameters>,
): WebhookEndpoint {
  const row = existing(unit, id);
  const { description, disabled, enabled_events: types } = given;
  const changes: Partial<WebhookEndpoint> = {
    metadata: mergeMetadata(row.metadata, given.metadata),
    ...(description === undefined ? {} : { description }),
    ...(disabled === undefined ? {} : { status: disabled ? 'disabled' : 'enabled' }),
    ...(types === undefined ? {} : { enabled_events: types }),
    ...(given.url === undefined ? {} : { url: given.url }),
  };
  return withoutSecret(unit.update('webhook_endpoint', row, changes));
}

/** Deletes an endpoint and its deliveries. */
function deleteWebhookEndpoint(unit: UnitOfWork, id: string): object {
  const { id: endpointId } = existing(unit, id);
  unit.tables.webhook_endpoint.remove(endpointId);
  for (const delivery of unit.tables.delivery.newestFirst())
    if (delivery.endpoint === endpointId) unit.tables.delivery.remove(delivery.id);
  return { id: endpointId, object: 'webhook_endpoint', deleted: true };
}

function existing(unit: UnitOfWork, id: string): WebhookEndpoint {
  const row = unit.tables.webhook_endpoint.get(id);
  if (!row) throw noSuch('webhook endpoint', id);
  return row;
}

function withoutSecret(row: WebhookEndpoint): WebhookEndpoint {
  const { secret: _secret, ...shown } = row;
  return shown;
}
