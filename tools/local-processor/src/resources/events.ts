import type { Stripe } from 'stripe';
import { z } from 'zod';
import { boolean, created, page, parameters, text } from '../api/parameters.ts';
import { reads } from '../api/endpoint.ts';
import { pendingWebhooks, renderEvent } from '../events/render-event.ts';

const listParameters = parameters<Stripe.EventListParams>()({
  ...page,
  created,
  delivery_success: boolean.optional(),
  type: text().optional(),
  types: z.array(z.string()).max(20).optional(),
});

export const eventEndpoints = reads('event', '/v1/events', listParameters, {
  isListed: ({ id, type }, { delivery_success: delivered, type: wanted, types }, { account }) =>
    (wanted === undefined || matches(type, wanted)) &&
    (!types || types.includes(type)) &&
    (delivered === undefined || (pendingWebhooks(account, id) === 0) === delivered),
  // renderEvent returns the JSON of an object.
  shown: ({ account }, event) => JSON.parse(renderEvent(account, event)) as { id: string },
});

/** Returns whether a type matches; `wanted` may end in a wildcard: `customer.*`. */
function matches(type: string, wanted: string): boolean {
  return wanted.endsWith('*') ? type.startsWith(wanted.slice(0, -1)) : type === wanted;
}
