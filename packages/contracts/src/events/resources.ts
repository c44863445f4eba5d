import { z } from 'zod';
import { defineEvent } from '../event.ts';
import { EVENT_OBJECT_TYPES, EVENT_TYPES } from '../event-types.ts';
import { ProjectId } from '../ids.ts';
import { eventCause, eventResource } from '../resources/event.ts';
import { timestamp } from '../timestamp.ts';

/** A change of a resource, as an event for tenants has it. */
export const resourceChange = z.object({
  projectId: ProjectId.schema,
  type: z.enum(EVENT_TYPES),
  object: z.object({
    type: z.enum(EVENT_OBJECT_TYPES),
    id: z.string(),
    /** Counts the events for tenants of the resource, from 1 without gaps. */
    sequence: z.int().min(1),
  }),
  /** When it happened: for a processor's event its time. */
  at: timestamp,
  cause: eventCause,
  /** The bare resource as its GET returns it after the change; the last one of a deleted resource. */
  data: eventResource,
  /** What the top-level fields that changed were before; null for a new resource. */
  previousAttributes: eventResource.nullable(),
  /** Present when `data` is empty, because it and what it was before are longer than any event (`MAX_EVENT_BYTES`). */
  truncated: z.literal(true).optional(),
});
export type ResourceChange = z.output<typeof resourceChange>;

export const ResourceChanged = defineEvent('resource.changed.v1', resourceChange);

/** Events for tenants were recorded in these projects; whoever sends or reads them need not wait for the next look. */
export const EventsRecorded = defineEvent('events.recorded.v1', z.object({ projectIds: z.array(ProjectId.schema) }));
