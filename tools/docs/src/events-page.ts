import { allEvents } from '@billing/contracts/events/all-events';
import { PROCESSOR_EVENT_OWNERS, processorEvent } from '@billing/contracts/processor-events';
import { z } from 'zod';

/** Returns `docs/events.md`: every event on the bus, by its publisher, with its meaning and its fields. */
export function eventsPage(): string {
  return [
    '# Events on the bus',
    '',
    'Made from `packages/contracts` by `npm run docs`; do not edit.',
    '',
    'An event has an envelope `{id, type, teamId, occurredAt, data}`. Those of one team and type may share a message, whose body',
    'is an array of envelopes. They may come late, more than once and out of order. One with a `version` has the complete',
    'state, so consumers keep the highest version; what is in `shown` counts whatever the version. Times are ISO 8601 in UTC;',
    'amounts are integers in the smallest unit of the currency. The fields of `data` stand last, if they differ from those above;',
    'a record event has the whole state as declared in `packages/contracts/src/events`, and in `change` what tenants see of it.',
    ...Object.entries(eventsByPublisher()).flatMap(([publisher, events = []]) => [
      '',
      `## ${publisher}`,
      '',
      ...listed(events),
    ]),
    '',
    '## Webhook events',
    '',
    'webhooks publishes each as `billing.processor.<type>.v1` to every project that it was routed to, with',
    `${fieldsOf(processorEvent('customer.created').data).join(', ')}. They are handled by`,
    '',
    ...Object.entries(typesByOwner()).map(([owner, types = []]) => `- ${owner}: ${inBraces(types)}`),
    '',
  ].join('\n');
}

type Listed = (typeof allEvents)[number];

function eventsByPublisher(): Partial<Record<string, Listed[]>> {
  const events = allEvents.filter(({ type }) => !type.name.startsWith('processor.'));
  return Object.groupBy(events, ({ publishedBy: [first = '', ...others] }) =>
    others.length > 0 ? 'Several services' : first,
  );
}

const listed = (events: readonly Listed[]): string[] =>
  events.map(({ type, meaning }, i) => {
    const above = events[i - 1]?.type.data;
    const fields = type.name.startsWith('record.') ? [] : newFields(fieldsOf(type.data), above ? fieldsOf(above) : []);
    return [`- \`billing.${type.name}\``, ...(meaning ? [meaning] : []), ...fields].join(': ');
  });

const typesByOwner = (): Partial<Record<string, string[]>> => {
  const byOwner: Record<string, string[]> = {};
  for (const [type, owner] of Object.entries(PROCESSOR_EVENT_OWNERS)) (byOwner[owner] ??= []).push(type);
  return byOwner;
};

/** Returns types with those of one object together: `price.{created,updated}`. */
const inBraces = (types: readonly string[]): string =>
  Object.entries(Object.groupBy(types, type => type.slice(0, type.lastIndexOf('.'))))
    .map(([object, grouped = []]) => [object, grouped.map(type => type.slice(object.length + 1))] as const)
    .map(
      ([object, [first = '', ...others]]) =>
        `\`${object}.${others.length > 0 ? `{${[first, ...others].join()}}` : first}\``,
    )
    .join(', ');

const fieldsOf = (schema: z.ZodType): string[] => (schema instanceof z.ZodObject ? Object.keys(schema.shape) : []);

/** The fields of an event, unless the one above has them too. */
const newFields = (fields: readonly string[], above: readonly string[]): string[] =>
  fields.every(field => above.includes(field)) ? [] : [fields.join(', ')];
