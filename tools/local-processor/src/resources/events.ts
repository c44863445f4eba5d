import type { Stripe } from 'stripe';
import { z } from 'zod';
import { endpoint } from '../api/endpoint.ts';
import { noSuch } from '../api/failure.ts';
import { createdWithin, listPage } from '../api/lists.ts';
import { boolean, created, expand, page, parameters, text } from '../api/parameters.ts';
import type { Unit } from '../api/unit.ts';
import { pendingWebhooks, renderEvent } from '../events/rendering.ts';
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

function listEvents(unit: Unit, given: z.output<typeof listParameters>, { url }: { url: string }) {
  const { delivery_success: delivered, type, types } = given;
  const isOfType = (event: StoredEvent) =>
    (type === undefined || matches(event.type, type)) && (!types || types.includes(event.type));
  const isInTime = createdWithin(given.created);
  const isSoDelivered = ({ id }: StoredEvent) =>
    delivered === undefined || (pendingWebhooks(unit.account, id) === 0) === delivered;
  // A page may go on after an event that has been delivered since the page before it.
  const isWanted = (event: StoredEvent) => isInTime(event) && isOfType(event) && isSoDelivered(event);
  const list = listPage(unit.tables.event.newestFirst(), given, url, 'event', isWanted);
  return { ...list, data: list.data.map(event => rendered(unit, event)) };
}

/** A type may end in a wildcard: `customer.*`. */
function matches(type: string, wanted: string): boolean {
  return wanted.endsWith('*') ? type.startsWith(wanted.slice(0, -1)) : type === wanted;
}

function rendered(unit: Unit, event: StoredEvent): object {
  // The JSON was made a line before from an event, which is an object.
  return JSON.parse(renderEvent(unit.account, event)) as object;
}
