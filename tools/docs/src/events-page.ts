import { allEvents } from '@billing/contracts/events/all-events';
import { PROCESSOR_EVENT_OWNERS, processorEvent } from '@billing/contracts/processor-events';
import { z } from 'zod';

/** Returns `docs/events.md`: every event on the bus with its publishers, its meaning and its fields. */
export function eventsPage(): string {
  let above: readonly string[] = [];
  const rows = allEvents
    .filter(({ type }) => !type.name.startsWith('processor.'))
    .map(({ type, publishedBy, meaning }) => {
      const fields = fieldsOf(type.data);
      const shown = toShown(fields, above);
      above = fields;
      return `| \`billing.${type.name}\` | ${publishers(publishedBy)} | ${meaning} | ${shown} |`;
    });
  return [
    '# Events on the bus',
    '',
    'Generated from `packages/contracts` by `npm run docs`; do not edit.',
    '',
    'Every event is published in an envelope `{id, type, teamId, occurredAt, data}` on the stream `BILLING`, with W3C trace',
    'context in its headers. Webhook events of one team and type may share a message, whose body is then an array of',
    'envelopes. Events may arrive late, more than once and out of order. An event with a `version` contains the complete',
    'state, so consumers keep the highest version; what is in `shown` counts whatever the version. Times are ISO 8601 in',
    'UTC; amounts are integers in the smallest unit of the currency.',
    '',
    '| Subject | Published by | Meaning | `data` |',
    '|---|---|---|---|',
    ...rows,
    '',
    '## Webhook events',
    '',
    'webhooks publishes each as `billing.processor.<type>.v1` to every project that it was routed to, with the fields',
    `${fieldsOf(processorEvent('customer.created').data).join(', ')}.`,
    '',
    '| Handled by | Types |',
    '|---|---|',
    ...Object.entries(typesByOwner()).map(([owner, types = []]) => `| ${owner} | ${types.join(', ')} |`),
    '',
  ].join('\n');
}

const publishers = (services: readonly string[]): string => (services.length > 3 ? 'several' : services.join(', '));

const typesByOwner = (): Partial<Record<string, string[]>> => {
  const byOwner: Record<string, string[]> = {};
  for (const [type, owner] of Object.entries(PROCESSOR_EVENT_OWNERS)) (byOwner[owner] ??= []).push(`\`${type}\``);
  return byOwner;
};

const fieldsOf = (schema: z.ZodType): string[] => (schema instanceof z.ZodObject ? Object.keys(schema.shape) : []);

/** The fields of an event; those that it shares with the one above, but for one at most, are not repeated. */
function toShown(fields: readonly string[], above: readonly string[]): string {
  const [left, ...others] = above.filter(field => !fields.includes(field));
  if (others.length > 0 || !fields.every(field => above.includes(field))) return fields.join(', ');
  return left === undefined ? 'as above' : `as above, without ${left}`;
}
