import { z } from 'zod';
import { ProjectId } from '../ids.ts';
import { SERVICES, type ServiceName } from '../operation.ts';
import { timestamp } from '../timestamp.ts';

/** `retrying` while it is handled once more. */
export const DEAD_LETTER_STATUSES = ['failed', 'retrying'] as const;

const ID = new RegExp(`^dl_(${SERVICES.join('|')})_[0-9a-f]{32}$`);

/** The id of a dead letter: the service that has it, and 122 random bits. */
export const deadLetterId = z.string().regex(ID, 'Expected an id that starts with dl_ and the name of a service.');

/** Returns the public id of the row `uuid` in the table of a service. */
export const deadLetterIdOf = (service: ServiceName, uuid: string): string =>
  `dl_${service}_${uuid.replaceAll('-', '')}`;

/** Returns the service and the row that a valid id names. */
export function parseDeadLetterId(id: string): { readonly service: ServiceName; readonly uuid: string } {
  const [, service = '', digits = ''] = /^dl_([a-z]+)_([0-9a-f]{32})$/.exec(id) ?? [];
  const uuid = digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  return { service: z.enum(SERVICES).parse(service), uuid };
}

/** An event that a consumer of a service failed to handle for good. */
export const deadLetter = z.object({
  id: deadLetterId,
  service: z.enum(SERVICES),
  consumer: z.string(),
  /** The name of the domain event. */
  type: z.string(),
  eventId: z.uuid(),
  projectId: ProjectId.schema.nullable(),
  status: z.enum(DEAD_LETTER_STATUSES),
  attempts: z.int(),
  /** In our own words; what a library or the database said stays in the log. */
  error: z.string(),
  occurredAt: timestamp,
  failedAt: timestamp,
});
export type DeadLetter = z.output<typeof deadLetter>;

/** A dead letter with the event's data. */
export const deadLetterWithData = deadLetter.extend({ data: z.record(z.string(), z.unknown()) });
export type DeadLetterWithData = z.output<typeof deadLetterWithData>;
