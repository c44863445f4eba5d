import type { Stripe } from 'stripe';
import type { StoredEvent } from '../objects/stored.ts';
import type { Account } from '../store/account.ts';

/** The API version of all objects: the one that the `stripe` library of this repository pins. */
export const API_VERSION: Stripe.LatestApiVersion = '2026-10-28.endive';

/** Returns the event as JSON, as the API and webhooks contain it. `pending_webhooks` is the current count. */
export function renderEvent(account: Account, event: StoredEvent): string {
  const pending = pendingWebhooks(account, event.id);
  const { id, type, created, object, previous, request } = event;
  const head = { id, object: 'event', api_version: API_VERSION, created };
  const tail = { livemode: account.livemode, pending_webhooks: pending, request, type };
  const previousPart = previous === null ? '' : `,"previous_attributes":${previous}`;
  return `${JSON.stringify(head).slice(0, -1)},"data":{"object":${object}${previousPart}},${JSON.stringify(tail).slice(1)}`;
}

/** Returns how many endpoints have not yet accepted the event. */
export function pendingWebhooks(account: Account, eventId: string): number {
  const deliveries = account.tables.delivery.withField('event', eventId);
  const accepted = new Set(deliveries.filter(({ status }) => status === 'delivered').map(({ endpoint }) => endpoint));
  const targeted = new Set(deliveries.map(({ endpoint }) => endpoint));
  return targeted.size - accepted.size;
}
