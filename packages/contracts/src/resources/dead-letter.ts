import { z } from 'zod';
import { ProjectId } from '../ids.ts';
import { SERVICES, type ServiceName } from '../operation.ts';
import { timestamp, updatedAt } from '../timestamp.ts';

const DEAD_LETTER_STATUSES = ['failed', 'retrying'] as const;

const ID = new RegExp(`^dl_(${SERVICES.join('|')})_[0-9a-f]{32}$`);

/** The id of a dead letter: the service that has it, and 122 random bits. */
export const deadLetterId = z
  .string()
  .regex(ID, 'Expected an id that starts with dl_ and the name of a service.')
  .meta({
    description: 'The id of the dead letter.',
    example: 'dl_subscriptions_5f0c1d7e9a3b4c6d8e2f0a1b3c5d7e9f',
  });

/** Returns the public id of the row `uuid` in the table of a service. */
export const deadLetterIdOf = (service: ServiceName, uuid: string): string =>
  `dl_${service}_${uuid.replaceAll('-', '')}`;

/** Returns the service and the row that a valid id names. */
export function parseDeadLetterId(id: string): { readonly service: ServiceName; readonly uuid: string } {
  const [, service = '', digits = ''] = /^dl_([a-z]+)_([0-9a-f]{32})$/.exec(id) ?? [];
  const uuid = digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  return { service: z.enum(SERVICES).parse(service), uuid };
}

export const deadLetter = z
  .object({
    id: deadLetterId,
    service: z.enum(SERVICES).meta({ description: 'The service that failed.', example: 'subscriptions' }),
    consumer: z
      .string()
      .meta({ description: 'The consumer of the service that failed.', example: 'subscriptions-invoices' }),
    type: z.string().meta({ description: 'The type of the domain event.', example: 'processor.invoice.paid.v1' }),
    eventId: z
      .uuid()
      .meta({ description: 'The id of the domain event.', example: '0d9c3c52-5d6e-4f4a-9b1f-7f2f3a1c8e55' }),
    projectId: ProjectId.schema
      .nullable()
      .meta({ description: 'Null when the event is about the whole team.', example: ProjectId.example }),
    status: z.enum(DEAD_LETTER_STATUSES).describe('`retrying` while it is handled once more.'),
    attempts: z.int().meta({ description: 'How often it was handled in vain.', example: 8 }),
    /** In our own words; what a library or the database said stays in the log. */
    error: z.string().meta({
      description: 'The reason of the last failure.',
      example: 'an unexpected error on our side; the log has it',
    }),
    occurredAt: timestamp.describe('When the event happened.'),
    failedAt: updatedAt.describe('When it failed last.'),
  })
  .meta({
    id: 'DeadLetter',
    description: 'An event that a service failed to handle for good; retry it once the cause is fixed.',
  });
export type DeadLetter = z.output<typeof deadLetter>;

export const deadLetterWithData = deadLetter
  .extend({
    data: z.record(z.string(), z.unknown()).meta({
      description: 'The data of the domain event.',
      example: { eventId: 'evt_1RqZbK2eZvKYlo2CkV3mT9sX', projectId: ProjectId.example, livemode: false },
    }),
  })
  .meta({ id: 'DeadLetterWithData', description: 'A dead letter with its event.' });
export type DeadLetterWithData = z.output<typeof deadLetterWithData>;
