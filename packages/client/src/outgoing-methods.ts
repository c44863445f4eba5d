import type { BillingEvent, WebhookDeliveryDetails } from './events.ts';
import type { CallOptions, WriteOptions } from './options.ts';
import type { PageOptions } from './pages.ts';
import { segment, type Requests } from './requests.ts';
import type * as wire from './wire.ts';

/** How long a request waits for the next event, in milliseconds. */
const WAIT_MS = 20_000;

/** The methods of `billing.events`. */
export const eventMethods = (requests: Requests) => ({
  /** Lists events, the oldest first unless `order` is `desc`, up to the newest that there is. */
  list: (filters?: wire.EventFilters, options?: CallOptions) =>
    requests.listByCursor<BillingEvent>('/events', 'events', filters, options),
  /**
   * Lists events as they happen, the oldest first: from a page's `nextCursor`, or else from the first. It has no end but that
   * of the `signal`; after a failure a new one goes on from the last cursor. Each is seen once.
   */
  follow: (filters?: Omit<wire.EventFilters, 'order'>, options?: CallOptions) =>
    requests.listByCursor<BillingEvent>('/events', 'events', { ...filters, waitMs: WAIT_MS }, options),
  get: async (id: string, options?: CallOptions): Promise<BillingEvent> =>
    (await requests.get<{ event: BillingEvent }>(`/events/${segment(id)}`, undefined, options)).event,
});

/** The methods of `billing.webhookEndpoints`. */
export const webhookEndpointMethods = (requests: Requests) => ({
  /** Creates an endpoint, which gets the events from now on. Keep the `secret`: it is shown this once. */
  create: (body: wire.WebhookEndpointCreate, options?: WriteOptions) =>
    requests.post<wire.IssuedWebhookEndpoint>('/webhook-endpoints', body, options),
  list: (page?: PageOptions, options?: CallOptions) =>
    requests.list<wire.WebhookEndpoint>('/webhook-endpoints', 'webhookEndpoints', page, options),
  get: async (id: string, options?: CallOptions): Promise<wire.WebhookEndpoint> =>
    (await requests.get<{ webhookEndpoint: wire.WebhookEndpoint }>(endpoint(id), undefined, options)).webhookEndpoint,
  /** Changes an endpoint. With `enabled: true` it gets what it missed, or with `resumeFrom: 'now'` only what follows. */
  update: async (id: string, body: wire.WebhookEndpointUpdate, options?: CallOptions): Promise<wire.WebhookEndpoint> =>
    (await requests.patch<{ webhookEndpoint: wire.WebhookEndpoint }>(endpoint(id), body, options)).webhookEndpoint,
  /** Deletes an endpoint and its deliveries; what waits for it is not sent. */
  delete: (id: string, options?: CallOptions) => requests.delete(endpoint(id), options),
  /** Replaces the secret, and returns the new one this once. The old one signs too for `overlapMs`. */
  rotateSecret: (id: string, body: wire.WebhookSecretRotation = {}, options?: WriteOptions) =>
    requests.post<wire.IssuedWebhookEndpoint>(`${endpoint(id)}/rotate-secret`, body, options),
  /** Sends an event with example data, a `ping` unless another `type` is given, and waits for the response. */
  test: async (id: string, body: wire.WebhookTest = {}, options?: WriteOptions): Promise<wire.WebhookAttempt> =>
    (await requests.post<{ attempt: wire.WebhookAttempt }>(`${endpoint(id)}/test`, body, options)).attempt,
  /** Sends one event, whatever types the endpoint gets. */
  send: async (id: string, body: { readonly eventId: string }, options?: WriteOptions): Promise<wire.WebhookDelivery> =>
    (await requests.post<{ delivery: wire.WebhookDelivery }>(`${endpoint(id)}/send`, body, options)).delivery,
  /** Sends past events again: those that failed, those that the endpoint never got, or all. */
  recover: async (
    id: string,
    body: wire.WebhookRecoveryCreate,
    options?: WriteOptions,
  ): Promise<wire.WebhookRecovery> =>
    (await requests.post<{ recovery: wire.WebhookRecovery }>(`${endpoint(id)}/recover`, body, options)).recovery,
});

/** The methods of `billing.webhookDeliveries`. */
export const webhookDeliveryMethods = (requests: Requests) => ({
  /** Lists deliveries, newest first. */
  list: (filters?: wire.WebhookDeliveryFilters, options?: CallOptions) =>
    requests.listByCursor<wire.WebhookDelivery>('/webhook-deliveries', 'deliveries', filters, options),
  get: (id: string, options?: CallOptions) => requests.get<WebhookDeliveryDetails>(delivery(id), undefined, options),
  /** Sends a delivery again now, also one that had succeeded. */
  retry: async (id: string, options?: WriteOptions): Promise<wire.WebhookDelivery> =>
    (await requests.post<{ delivery: wire.WebhookDelivery }>(`${delivery(id)}/retry`, undefined, options)).delivery,
});

const endpoint = (id: string): string => `/webhook-endpoints/${segment(id)}`;
const delivery = (id: string): string => `/webhook-deliveries/${segment(id)}`;
