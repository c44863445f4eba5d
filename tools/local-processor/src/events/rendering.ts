import type { Stripe } from 'stripe';
import { beforeBasil, isBeforeBasil } from './older-version.ts';
import type { StoredEvent } from '../objects/stored.ts';
import type { Account } from '../store/account.ts';

/** The API version whose shapes all objects have: the one that the `stripe` library of this repository pins. */
export const API_VERSION: Stripe.LatestApiVersion = '2026-10-28.endive';

/**
 * The event as the API and webhooks show it, in JSON; what is still to be delivered is counted at this moment. An
 * endpoint may be pinned to an older version of the API, and gets its shapes.
 */
export function renderEvent(account: Account, event: StoredEvent, version: string = API_VERSION): string {
  const pending = pendingWebhooks(account, event.id);
  const { id, type, created, previous, request } = event;
  const object = isBeforeBasil(version) ? beforeBasil(account, event.object) : event.object;
  const head = { id, object: 'event', api_version: version, created };
  const tail = { livemode: account.livemode, pending_webhooks: pending, request, type };
  const previousPart = previous === null ? '' : `,"previous_attributes":${previous}`;
  return `${JSON.stringify(head).slice(0, -1)},"data":{"object":${object}${previousPart}},${JSON.stringify(tail).slice(1)}`;
}

/** How many endpoints have not yet accepted the event. */
export function pendingWebhooks(account: Account, eventId: string): number {
  const deliveries = account.tables.delivery.withField('event', eventId);
  const accepted = new Set(deliveries.filter(({ status }) => status === 'delivered').map(({ endpoint }) => endpoint));
  const asked = new Set(deliveries.map(({ endpoint }) => endpoint));
  return asked.size - accepted.size;
}
