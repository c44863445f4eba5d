import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import { Problem } from '@billing/contracts/problem';
import { isHandled } from '@billing/contracts/processor-events';
import { withRawJson } from '@billing/contracts/raw-json';
import { processorEventId } from '@billing/contracts/resources/webhook-event';
import { z } from 'zod';
import { eventData, readContent, type EventContent } from './event-content.rules.ts';

/** Deeper than anything Stripe sends, and far below the limits of PostgreSQL and JSON.stringify. */
const MAX_DEPTH = 64;
/** The last second of the year 9999. */
const LATEST_SECOND = 253_402_300_799;

type Fields = Readonly<Record<string, unknown>>;

const event = z.object({
  id: processorEventId,
  object: z.literal('event').optional(),
  type: z.string().min(1).max(120),
  created: z.int().min(0).max(LATEST_SECOND),
  api_version: z.string().max(64).nullish(),
  livemode: z.boolean().default(false),
  account: z.string().max(255).nullish(),
  context: z.string().max(1_000).nullish(),
  data: eventData,
});

/** A delivery as Stripe posted it, checked as far as needed before it is stored. */
export interface IncomingEvent {
  readonly id: string;
  readonly type: string;
  readonly createdAt: Date;
  readonly apiVersion: string | null;
  readonly livemode: boolean;
  readonly objectId: string | null;
  /** The Stripe account that it names; null when it names none, and is of the account whose endpoint got it. */
  readonly accountId: string | null;
  /** The whole event in JSON; null when nobody handles it. */
  readonly payload: string | null;
  /** What the pipeline needs of it; null when nobody handles it. */
  readonly content: EventContent | null;
  /** Why it shows no state of an object; null for an event that does. */
  readonly noSnapshot: string | null;
}

/** What is no snapshot event, and why. */
interface NoSnapshot {
  readonly reason: string;
}

/**
 * Reads a signed body. One that is no snapshot event, such as a thin notification, is recorded all the same: refused, Stripe
 * would send it again for days and then disable the endpoint. Without an id or time of its own it gets one from its bytes
 * and from `now`.
 * @throws Problem 400 `invalid_event` for what is not JSON
 */
export function readEvent(body: Buffer, now: Date): IncomingEvent {
  const parsed = parseJson(body);
  const read = readSnapshot(parsed);
  return 'reason' in read ? recordOnly(parsed, read, body, now) : read;
}

/** Reads an event that Stripe sent or listed. */
export function readSnapshot(parsed: unknown): IncomingEvent | NoSnapshot {
  if (isTooDeep(parsed, 0)) return { reason: 'it nests too deep' };
  const read = event.safeParse(parsed);
  if (!read.success) {
    if (Object(parsed).object === 'v2.core.event') return { reason: 'a thin notification' };
    return { reason: `${read.error.issues[0]?.path.join('.') || 'the body'} is missing or wrong` };
  }
  const { id, type, created, api_version: apiVersion = null, livemode, data } = read.data;
  const content = isHandled(type) ? readContent(type, data) : null;
  const objectId = data.object['id'];
  const head = {
    id,
    type,
    apiVersion,
    livemode,
    objectId: typeof objectId === 'string' ? objectId.slice(0, 255) : null,
    accountId: accountOf(read.data),
  };
  const payload = content && writeEvent(parsed, content);
  if (!isStorableJson(payload ?? JSON.stringify(head))) return { reason: 'it holds characters that cannot be stored' };
  return { ...head, createdAt: new Date(created * 1_000), payload, content, noSnapshot: null };
}

/** What is recorded of a delivery that is no snapshot event. */
function recordOnly(parsed: unknown, { reason }: NoSnapshot, body: Buffer, now: Date): IncomingEvent {
  const { id, type, created, livemode, related_object: related }: Fields = Object(parsed);
  const objectId = WORD.safeParse(Object(related).id);
  const ownId = processorEventId.safeParse(id);
  const digest = createHash('sha256').update(body).digest('hex');
  return {
    id: ownId.success ? ownId.data : `evt_none_${digest.slice(0, 40)}`,
    type: typeof type === 'string' && /^[\w.-]{1,120}$/.test(type) ? type : 'unknown',
    createdAt: timeOf(created) ?? now,
    apiVersion: null,
    livemode: livemode === true,
    objectId: objectId.success ? objectId.data : null,
    accountId: null,
    payload: null,
    content: null,
    noSnapshot: reason,
  };
}

/** Ids that can be stored and shown. */
const WORD = z.string().regex(/^\w{1,255}$/);

/** The connected account, or that in the path of an organization's event. https://docs.stripe.com/api/events/object */
function accountOf({ account, context }: z.output<typeof event>): string | null {
  return account ?? context?.split('/').findLast(segment => segment.startsWith('acct_')) ?? null;
}

/** Stripe's older API writes seconds, the newer one text. */
function timeOf(created: unknown): Date | null {
  const ms = typeof created === 'string' ? Date.parse(created) : typeof created === 'number' ? created * 1_000 : NaN;
  return ms >= 0 && ms <= LATEST_SECOND * 1_000 ? new Date(ms) : null;
}

function parseJson(body: Buffer): unknown {
  try {
    if (isUtf8(body)) return JSON.parse(body.toString('utf8'));
  } catch {
    // It is refused below.
  }
  throw new Problem('validation', 'invalid_event', 'The body is signed but is not JSON.');
}

/** The event in JSON, written anew: in the posted text a name may stand twice, and hide what can't be stored. */
function writeEvent(parsed: unknown, content: EventContent): string {
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
  if (!json.includes('\\')) return true;
  for (const [escape] of json.matchAll(ESCAPED)) if (escape !== ESCAPED_BACKSLASH) return false;
  return true;
}

const ESCAPED_BACKSLASH = String.raw`\\`;
/** An escaped backslash is matched as a whole, so that what follows it is not taken for an escape. */
const ESCAPED = /\\\\|\\u0000|\\ud[89a-f]/g;
