import { z } from 'zod';
import { defineEvent } from '../event.ts';
import { EVENT_TYPES } from '../event-types.ts';
import { eventCause, eventResource } from '../resources/event.ts';
import { timestamp } from '../timestamp.ts';

/** What tenants see of a change of a record: one event of theirs, or several. */
export const publicChange = z.object({
  /** In the order of their sequences. A record that is first seen in a later state gives the event of that state too. */
  types: z.array(z.enum(EVENT_TYPES)).min(1),
  /** Of the last of them: counts the record’s events for tenants, from 1 without gaps. */
  sequence: z.int().min(1),
  /** When it happened: for a processor’s event its time. */
  at: timestamp,
  cause: eventCause,
  /** What the top-level fields that changed were before; null for a new record. */
  previousAttributes: eventResource.nullable(),
});
export type PublicChange = z.output<typeof publicChange>;

/** Record events stand under one subject, so that one consumer reads them all. */
const FAMILY = 'record';

/** The filter of every event of some record, for example `subscription`. */
export const recordFilter = (record: string): string => `${FAMILY}.${record}.*.v1`;

/** The filter of the events of all records. */
export const ALL_RECORDS = `${FAMILY}.>`;

/**
 * Declares the event of a change of a record: its whole state after the change, and what tenants see of the change; nothing when
 * it changed only what they do not see. It is the only publication of the change.
 */
export const defineRecordEvent = <Shape extends z.ZodRawShape>(name: string, state: z.ZodObject<Shape>) =>
  defineEvent(`${FAMILY}.${name}.v1`, state.extend({ change: publicChange.optional() }));

/** Returns whether an event type is a change of a record. */
export const isRecord = (type: string): boolean => type.startsWith(`${FAMILY}.`);
