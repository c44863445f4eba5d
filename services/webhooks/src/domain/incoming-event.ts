import { isUtf8 } from 'node:buffer';
import { Problem } from '@billing/contracts/problem';
import { isHandled } from '@billing/contracts/processor-events';
import { withRawJson } from '@billing/contracts/raw-json';
import { processorEventId } from '@billing/contracts/resources/webhook-event';
import { z } from 'zod';
import { eventData, readContent, type EventContent } from './event-content.ts';

/** Deeper than anything Stripe sends, and far below the limits of PostgreSQL and JSON.stringify. */
const MAX_DEPTH = 64;
/** The last second of the year 9999. */
const LATEST_SECOND = 253_402_300_799;

type Fields = Readonly<Record<string, unknown>>;

const event = z.object({
  id: processorEventId,
  type: z.string().min(1).max(120),
  created: z.int().min(0).max(LATEST_SECOND),
  api_version: z.string().max(64).nullish(),
  livemode: z.boolean().default(false),
  data: eventData,
});

/** An event as Stripe posted it, checked as far as needed before it is stored. */
export interface IncomingEvent {
  readonly id: string;
  readonly type: string;
  readonly createdAt: Date;
  readonly apiVersion: string | null;
  readonly livemode: boolean;
  readonly objectId: string | null;
  /** The whole event in JSON. */
  readonly payload: string;
  /** What the pipeline needs of it; null for an event of a type that is not handled. */
  readonly content: EventContent | null;
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
  if (isTooDeep(parsed, 0)) throw invalidEvent('It nests too deep.');
  const read = event.safeParse(parsed);
  if (!read.success) throw invalidEvent(`${read.error.issues[0]?.path.join('.') || 'The body'} is missing or wrong.`);
  const { id, type, created, api_version: apiVersion, livemode, data } = read.data;
  const content = isHandled(type) ? readContent(type, data) : null;
  const objectId = data.object['id'];
  const payload = writeEvent(parsed, content);
  if (!isStorableJson(payload)) throw invalidEvent('It holds characters that cannot be stored.');
  return {
    id,
    type,
    createdAt: new Date(created * 1_000),
    apiVersion: apiVersion ?? null,
    livemode,
    objectId: typeof objectId === 'string' ? objectId.slice(0, 255) : null,
    payload,
    content,
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

/** The event in JSON, written anew: in the posted text a name may stand twice, and hide what can't be stored. */
function writeEvent(parsed: unknown, content: EventContent | null): string {
  if (!content) return JSON.stringify(parsed);
  const { data, ...head }: Fields = Object(parsed);
  const { object: _object, previous_attributes: _previous, ...others }: Fields = Object(data);
  const { object, previousAttributes } = content;
  const members = { object, ...(previousAttributes !== null && { previous_attributes: previousAttributes }) };
  return withRawJson(head, { data: withRawJson(others, members) });
}

function isTooDeep(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (depth >= MAX_DEPTH) return true;
  for (const it of Array.isArray(value) ? value : Object.values(value)) if (isTooDeep(it, depth + 1)) return true;
  return false;
}

/** Whether PostgreSQL can store a text that JSON.stringify wrote: it escapes NUL and lone surrogates, and nothing else so. */
function isStorableJson(json: string): boolean {
  for (const [escape] of json.matchAll(ESCAPED)) if (escape !== ESCAPED_BACKSLASH) return false;
  return true;
}

const ESCAPED_BACKSLASH = String.raw`\\`;
/** An escaped backslash is matched as a whole, so that what follows it is not taken for an escape. */
const ESCAPED = /\\\\|\\u0000|\\ud[89a-f]/g;

function invalidEvent(reason: string): Problem {
  return new Problem('validation', 'invalid_event', `The body is signed but is not an event. ${reason}`);
}
