import type { Stripe } from 'stripe';
import { z } from 'zod';
import { endpoint } from '../api/endpoint.ts';
import { noSuch } from '../api/errors.ts';
import { createdWithin, listPage } from '../api/lists.ts';
import { boolean, created, expand, page, parameters, text } from '../api/parameters.ts';
import type { UnitOfWork } from '../api/unit-of-work.ts';
import { pendingWebhooks, renderEvent } from '../events/render-event.ts';
import type { StoredEvent } from '../objects/stored.ts';

const listParameters = parameters<Stripe.EventListParams>()({
  ...page,
  created,
  delivery_success: boolean.optional(),
  type: text().optional(),
  types: z.array(z.string()).max(20).optional(),
});

export const eventEndpoints = [
  endpoint('GET', '/v1/events', listParameters, listEvents),
  endpoint('GET', '/v1/events/:id', parameters<Stripe.EventRetrieveParams>()({ expand }), (unit, _, { id }) => {
    const event = unit.tables.event.get(id);
    if (!event) throw noSuch('event', id);
    return rendered(unit, event);
  }),
];

function listEvents(unit: UnitOfWork, given: z.output<typeof listParameters>, { url }: { url: string }) {
  const { delivery_success: delivered, type, types } = given;
  const isOfType = (event: StoredEvent) =>
    (type === undefined || matches(event.type, type)) && (!types || types.includes(event.type));
  const isInTime = createdWithin(given.created);
  const hasDeliveryState = ({ id }: StoredEvent) =>
    delivered === undefined || (pendingWebhooks(unit.account, id) === 0) === delivered;
  // The cursor may be an event that was delivered after the previous page, so it may not match the filter.
  const isWanted = (event: StoredEvent) => isInTime(event) && isOfType(event) && hasDeliveryState(event);
  const list = listPage(unit.tables.event, given, url, 'event', isWanted);
  return { ...list, data: list.data.map(event => rendered(unit, event)) };
}

/** Returns whether a type matches; `wanted` may end in a wildcard: `customer.*`. */
function matches(type: string, wanted: string): boolean {
  return wanted.endsWith('*') ? type.startsWith(wanted.slice(0, -1)) : type === wanted;
}

function rendered(unit: UnitOfWork, event: StoredEvent): object {
  // renderEvent returns the JSON of an object.
  return JSON.parse(renderEvent(unit.account, event)) as object;
}
