import type { ProcessorEventType } from '@billing/contracts/processor-events';
import { z } from 'zod';
import { isFinalStatus } from './raw-object.ts';
import { readRouteHints, type RouteHints } from './route-hints.ts';

/**
 * What the pipeline needs of an event of a handled type. The object stays text: many events wait in memory, where parsed
 * objects would take several times the space and the garbage collector's time.
 */
export interface EventContent {
  readonly type: ProcessorEventType;
  /** Stripe's id of the object; null for one without (the preview of an upcoming invoice). */
  readonly objectId: string | null;
  /** The object as it was then, in JSON. */
  readonly object: string;
  /** Whether the object's status is final. */
  readonly isFinal: boolean;
  /** The fields that changed as they were before, in JSON. */
  readonly previousAttributes: string | null;
  readonly hints: RouteHints;
}

type Fields = Readonly<Record<string, unknown>>;

/** It was stored as JSON: checking every field again would find nothing. */
const fields = z.custom<Fields>(value => typeof value === 'object' && value !== null && !Array.isArray(value));
const payload = z.object({ data: z.object({ object: fields, previous_attributes: fields.nullish() }) });

/** The content of a stored event of a handled type: the object as it was then, and the fields that changed as they were before. */
export function readPayload(stored: unknown) {
  const { object, previous_attributes: previous } = payload.parse(stored).data;
  return { object, previousAttributes: previous ?? null };
}

/** Reads an event's content from its parsed object. */
export function readContent(type: ProcessorEventType, object: Fields, previousAttributes: Fields | null): EventContent {
  const { id, status } = object;
  return {
    type,
    objectId: typeof id === 'string' && id !== '' ? id : null,
    object: JSON.stringify(object),
    isFinal: isFinalStatus(status),
    previousAttributes: previousAttributes && JSON.stringify(previousAttributes),
    hints: readRouteHints(type, object),
  };
}
