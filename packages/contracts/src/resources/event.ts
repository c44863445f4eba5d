import { z } from 'zod';
import { EVENT_OBJECT_TYPES, EVENT_TYPES } from '../event-types.ts';
import { CustomerId, EventId, ProjectId, TeamId } from '../ids.ts';
import { timestamp } from '../timestamp.ts';

/** The version of the events' shapes; new fields do not change it. */
export const EVENT_API_VERSION = '2026-12-01';

/** Longer events come without what they are about. */
export const MAX_EVENT_BYTES = 65_536;

export const CAUSE_TYPES = ['api', 'portal', 'processor', 'sync', 'system'] as const;

/** Why something changed. */
export const eventCause = z
  .object({
    type: z
      .enum(CAUSE_TYPES)
      .describe(
        '`processor`: an event of the payment processor. `sync`: an import or a repair. `system`: time alone, and always of `customer.state_changed`, which follows from other changes.',
      ),
    requestId: z.string().nullable().describe('Of the request to this API; null where none was made.'),
    processorEventId: z.string().nullable().describe('The payment processor’s id of its event; null without one.'),
  })
  .meta({
    id: 'EventCause',
    description: 'Why something changed.',
    example: { type: 'processor', processorEventId: 'evt_1RqZbK2eZvKYlo2CkV3mT9sX' },
  });
export type EventCause = z.output<typeof eventCause>;

/** The fields of a resource as JSON. */
export const eventResource = z.record(z.string(), z.unknown());

/** An event as tenants read it: what `GET P/events/{id}` returns, and byte for byte the body of a webhook. */
export const event = z
  .object({
    id: EventId.schema,
    type: z.enum(EVENT_TYPES).meta({ description: 'What happened.', example: 'customer.updated' }),
    timestamp: timestamp.describe('When it happened.'),
    apiVersion: z.string().meta({ description: 'The version of its shape.', example: EVENT_API_VERSION }),
    livemode: z.boolean().describe('False in test mode.'),
    teamId: TeamId.schema,
    projectId: ProjectId.schema,
    position: z.int().meta({
      description: 'Its place among the events of the project, without gaps but after a restored backup.',
      example: 1_042,
    }),
    object: z
      .object({
        type: z.enum(EVENT_OBJECT_TYPES).describe('The kind of the object.'),
        id: z.string().meta({ description: 'Its id; of a referral code the code.', example: CustomerId.example }),
        sequence: z.int().meta({ description: 'Counts the events of the object from 1.', example: 7 }),
      })
      .describe('What it is about.'),
    cause: eventCause,
    data: eventResource.optional().meta({
      description:
        'The object as its GET returned it then, an invoice without lines, tax ids and order number; absent when the event is longer than 64 KiB, or its team stored all that it may.',
      example: { id: CustomerId.example, name: 'Ada King' },
    }),
    previousAttributes: eventResource
      .nullable()
      .optional()
      .meta({
        description: 'What the fields that changed were before; null on the first event of an object.',
        example: { name: 'Ada Lovelace' },
      }),
    truncated: z.literal(true).optional().describe('Present when `data` and `previousAttributes` were left out.'),
    test: z.literal(true).optional().describe('Present on an event with example data that was sent as a test.'),
  })
  .meta({ id: 'Event', description: 'A change of a resource of the project.' });
export type PublicEvent = z.output<typeof event>;
