import { allEvents } from '@billing/contracts/events/all-events';
import { z } from 'zod';

/** Returns `docs/events.md`: every event on the bus with its publishers, its meaning and its fields. */
export function eventsPage(): string {
  const rows = allEvents.map(
    ({ type, publishedBy, meaning }) =>
      `| \`billing.${type.name}\` | ${publishedBy.join(', ')} | ${meaning} | ${fieldsOf(type.data)} |`,
  );
  return [
    '# Events on the bus',
    '',
    'Generated from `packages/contracts` by `npm run docs`; do not edit.',
    '',
    'Every event is published in an envelope `{id, type, teamId, occurredAt, data}` on the stream `BILLING`, with W3C trace',
    'context in its headers. Webhook events of one type may share a message, whose body is then an array of envelopes. Events',
    'may arrive late, more than once and out of order. An event with a `version` contains the complete state, so consumers',
    'keep the highest version. Times are ISO 8601 in UTC; amounts are integers in the smallest unit of the currency.',
    '',
    '| Subject | Published by | Meaning | `data` |',
    '|---|---|---|---|',
    ...rows,
    '',
  ].join('\n');
}

function fieldsOf(schema: z.ZodType): string {
  return schema instanceof z.ZodObject ? Object.keys(schema.shape).join(', ') : '';
}
