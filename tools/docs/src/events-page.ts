import { allEvents } from '@billing/contracts/events/all-events';
import { PROCESSOR_EVENT_OWNERS, processorEvent } from '@billing/contracts/processor-events';
import { z } from 'zod';

/** Returns `docs/events.md`: every event on the bus with its publishers, its meaning and its fields. */
export function eventsPage(): string {
  const rows = allEvents
    .filter(({ type }) => !type.name.startsWith('processor.'))
    .map(
      ({ type, publishedBy, meaning }) =>
        `| \`billing.${type.name}\` | ${publishers(publishedBy)} | ${meaning} | ${fieldsOf(type.data)} |`,
    );
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
    `${fieldsOf(processorEvent('customer.created').data)}.`,
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

function fieldsOf(schema: z.ZodType): string {
  return schema instanceof z.ZodObject ? Object.keys(schema.shape).join(', ') : '';
}
