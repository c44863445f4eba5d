import type { ProcessorEventType } from '@billing/contracts/processor-events';
import { z } from 'zod';
import { isFinalStatus } from '#pipeline/raw-object.rules';
import { readRouteHints, type RouteHints } from '#pipeline/route-hints.rules';

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

/**
 * No id of Stripe's is longer, and each project gets it.
 * https://docs.stripe.com/upgrades#what-changes-does-stripe-consider-to-be-backward-compatible
 */
const MAX_ID = 255;

type Fields = Readonly<Record<string, unknown>>;

/** JSON.parse made it: checking every field again would find nothing. */
const fields = z.custom<Fields>(value => typeof value === 'object' && value !== null && !Array.isArray(value));
/** An event's object as it was then, and its fields that changed as they were before. */
export const eventData = z.object({ object: fields, previous_attributes: fields.nullish() });
const payload = z.object({ data: eventData });

/** Reads the content of an event of a handled type as it was stored. */
export const readPayload = (type: ProcessorEventType, json: string): EventContent =>
  readContent(type, payload.parse(JSON.parse(json)).data);

/** Reads an event's content from its parsed object. */
export function readContent(
  type: ProcessorEventType,
  { object, previous_attributes: previous }: z.output<typeof eventData>,
): EventContent {
  const { id, status } = object;
  return {
    type,
    objectId: typeof id === 'string' && id !== '' && id.length <= MAX_ID ? id : null,
    object: JSON.stringify(object),
    isFinal: isFinalStatus(status),
    previousAttributes: previous ? JSON.stringify(previous) : null,
    hints: readRouteHints(type, object),
  };
}
