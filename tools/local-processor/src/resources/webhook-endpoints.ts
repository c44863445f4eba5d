import type { Stripe } from 'stripe';
import { z } from 'zod';
import { endpoint, endpointOn, noParameters, reads } from '../api/endpoint.ts';
import { invalidRequest } from '../api/errors.ts';
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

const PATH = '/v1/webhook_endpoints';

export const webhookEndpointEndpoints = [
  endpoint('POST', PATH, createParameters, createWebhookEndpoint),
  ...reads('webhook_endpoint', PATH, parameters<Stripe.WebhookEndpointListParams>()(page), {
    shown: (_, row) => withoutSecret(row),
  }),
  endpointOn('webhook_endpoint', 'POST', `${PATH}/:id`, updateParameters, (unit, row, given) => {
    const { disabled, expand: _expand, metadata: pairs, ...changes } = given;
    const changed = unit.update('webhook_endpoint', row, {
      ...changes,
      metadata: mergeMetadata(row.metadata, pairs),
      status: disabled === undefined ? disabled : disabled ? 'disabled' : 'enabled',
    });
    return withoutSecret(changed);
  }),
  // Its deliveries go with it.
  endpointOn('webhook_endpoint', 'DELETE', `${PATH}/:id`, noParameters, (unit, { id }) => {
    unit.tables.webhook_endpoint.remove(id);
    for (const delivery of unit.tables.delivery.newestFirst())
      if (delivery.endpoint === id) unit.tables.delivery.remove(delivery.id);
    return { id, object: 'webhook_endpoint', deleted: true };
  }),
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

function withoutSecret(row: WebhookEndpoint): WebhookEndpoint {
  const { secret: _secret, ...shown } = row;
  return shown;
}
