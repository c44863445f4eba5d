import { allFacts } from '@billing/contracts/events/all-events';
import { z } from 'zod';

/** `docs/events.md`: every fact on the bus, who says it and what it carries, made from the contracts. */
export function eventsPage(): string {
  const rows = allFacts.map(
    ({ fact, saidBy, tells }) =>
      `| \`billing.${fact.name}\` | ${saidBy.join(', ')} | ${tells} | ${fieldsOf(fact.data)} |`,
  );
  return [
    '# Facts on the bus',
    '',
    'Made from `packages/contracts` by `npm run docs`; do not edit by hand.',
    '',
    'Every fact travels in an envelope `{id, type, teamId, occurredAt, data}` on the stream `BILLING`, with W3C trace',
    'context in its headers. Facts may arrive late, twice and out of order: those that carry a `version` carry a whole',
    'state, and a reader keeps the highest one. Times are ISO 8601 UTC, amounts whole numbers of the smallest unit.',
    '',
    '| Subject | Said by | Tells | `data` |',
    '|---|---|---|---|',
    ...rows,
    '',
  ].join('\n');
}

function fieldsOf(schema: z.ZodType): string {
  return schema instanceof z.ZodObject ? Object.keys(schema.shape).join(', ') : '';
}
