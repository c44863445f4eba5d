import { isUtf8 } from 'node:buffer';
import { Problem } from '@billing/contracts/problem';
import { isHandled } from '@billing/contracts/processor-events';
import { processorEventId } from '@billing/contracts/resources/webhook-event';
import { isStorable } from '@billing/contracts/text';
import { z } from 'zod';

/** Deeper than anything Stripe sends, and far below the limits of PostgreSQL and JSON.stringify. */
const MAX_DEPTH = 64;
/** The last second of the year 9999. */
const LATEST_SECOND = 253_402_300_799;

/** JSON.parse made it: checking every field again would find nothing. */
const fields = z.custom<Readonly<Record<string, unknown>>>(
  value => typeof value === 'object' && value !== null && !Array.isArray(value),
);
const event = z.object({
  id: processorEventId,
  type: z.string().min(1).max(120),
  created: z.int().min(0).max(LATEST_SECOND),
  api_version: z.string().max(64).nullish(),
  livemode: z.boolean().default(false),
  data: z.object({ object: fields, previous_attributes: fields.nullish() }).optional().catch(undefined),
});

/** An event as Stripe posted it, checked as far as needed before it is stored. */
export interface IncomingEvent {
  readonly id: string;
  readonly type: string;
  readonly createdAt: Date;
  readonly apiVersion: string | null;
  readonly livemode: boolean;
  readonly objectId: string | null;
  /** Null for an event of a type that is not handled and has no object. */
  readonly object: Readonly<Record<string, unknown>> | null;
  readonly previousAttributes: Readonly<Record<string, unknown>> | null;
  /** The whole event in JSON. */
  readonly payload: string;
}

/**
 * Reads a signed body.
 * @throws Problem 400 `invalid_event` for what is no event, or could not be stored
 */
export const readEvent = (body: Buffer): IncomingEvent => checkEvent(parseJson(body));

/**
 * Checks an event that Stripe sent or listed.
 * @throws Problem 400 `invalid_event` for what is no event, or could not be stored
 */
export function checkEvent(parsed: unknown): IncomingEvent {
  if (!isStorableJson(parsed, 0)) throw invalidEvent('It nests too deep or holds characters that cannot be stored.');
  const read = event.safeParse(parsed);
  if (!read.success) throw invalidEvent(`${read.error.issues[0]?.path.join('.') || 'The body'} is missing or wrong.`);
  const { id, type, created, api_version: apiVersion, livemode, data } = read.data;
  if (!data && isHandled(type)) throw invalidEvent('data.object is missing.');
  const objectId = data?.object['id'];
  return {
    id,
    type,
    createdAt: new Date(created * 1_000),
    apiVersion: apiVersion ?? null,
    livemode,
    objectId: typeof objectId === 'string' ? objectId.slice(0, 255) : null,
    object: data?.object ?? null,
    previousAttributes: data?.previous_attributes ?? null,
    // Written anew: in the posted text a name may stand twice, and hide what can't be stored.
    payload: JSON.stringify(parsed),
  };
}

function parseJson(body: Buffer): unknown {
  if (!isUtf8(body)) throw invalidEvent('It is not valid JSON.');
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    throw invalidEvent('It is not valid JSON.');
  }
}

function isStorableJson(value: unknown, depth: number): boolean {
  if (typeof value === 'string') return isStorable(value);
  if (typeof value !== 'object' || value === null) return true;
  if (depth >= MAX_DEPTH) return false;
  if (Array.isArray(value)) return value.every(it => isStorableJson(it, depth + 1));
  return Object.entries(value).every(([key, it]) => isStorable(key) && isStorableJson(it, depth + 1));
}

function invalidEvent(reason: string): Problem {
  return new Problem('validation', 'invalid_event', `The body is signed but is not an event. ${reason}`);
}
