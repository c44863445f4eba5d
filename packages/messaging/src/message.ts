import { trace } from '@opentelemetry/api';
import { contextOf, isSampled, type TraceCarrier } from '@billing/tracing/trace-carrier';
import { encode } from './message-body.ts';
import { PermanentFailure } from './failure-reason.ts';
import type { NewEvent } from './new-event.ts';

/** What the bus stores and delivers as one: events of one type and team, which a consumer gets one by one. */
export interface Message {
  /** The bus drops the repeat of an id. */
  readonly id: string;
  readonly type: string;
  readonly teamId: string;
  /** JSON: an array of envelopes. */
  readonly body: string;
  /** How many events it carries. */
  readonly events: number;
  readonly trace: TraceCarrier;
}

/** Events that share a message. */
export type Group = readonly [NewEvent, ...NewEvent[]];

/** Events of one message, and the length of their data together; a larger event comes alone. */
const MAX_EVENTS = 32;
const MAX_SIZE = 128 * 1_024;

/** The bytes of one event's data at most: with its envelope it fits into a message of 1 MiB. */
export const MAX_DATA_BYTES = 1_000 * 1_024;

/** Names what an event is about: every state begins with its own id, or those of its team and project. */
const SCOPE = new Set(['teamId', 'projectId']);

/**
 * Checks the size of an event's data, which is `json` too.
 * @throws PermanentFailure for one that is too large: no attempt will make it smaller
 */
export function checkSize(type: string, data: unknown, json: string): void {
  if (json.length * 3 <= MAX_DATA_BYTES) return;
  const bytes = Buffer.byteLength(json);
  if (bytes <= MAX_DATA_BYTES) return;
  const isOwnId = ([key, value]: [string, unknown]) =>
    /(^i|I)d$/.test(key) && !SCOPE.has(key) && typeof value === 'string';
  const [, id] = Object.entries(Object(data)).find(isOwnId) ?? [];
  const record = typeof id === 'string' ? ` of ${id.slice(0, 100)}` : '';
  throw new PermanentFailure(`The event ${type}${record} would have ${bytes} bytes; it may have ${MAX_DATA_BYTES}.`);
}

/** Divides items, in their order, into parts that are at most so large together; a larger item is a part of its own. */
export function divide<Item>(items: readonly Item[], sizeOf: (item: Item) => number, maxSize: number): Item[][] {
  const parts: Item[][] = [];
  let size = Infinity;
  for (const item of items) {
    size += sizeOf(item);
    if (size <= maxSize) parts.at(-1)?.push(item);
    else {
      parts.push([item]);
      size = sizeOf(item);
    }
  }
  return parts;
}

/**
 * Divides events into those that share a message, in their order: PostgreSQL and NATS store, sync and deliver each message at a
 * cost of its own. A message is redelivered as a whole, so no event waits for one of another team. A traced event is alone: a
 * message has one trace.
 */
export function groupByMessage(events: readonly NewEvent[]): Group[] {
  const groups: Group[] = [];
  const open = new Map<string, { readonly group: [NewEvent, ...NewEvent[]]; size: number }>();
  for (const event of events) {
    const { data } = event;
    const key = `${event.teamId} ${event.type}`;
    const last = open.get(key);
    if (isTraced(event)) groups.push([event]);
    else if (last && last.group.length < MAX_EVENTS && last.size + data.length <= MAX_SIZE) {
      last.group.push(event);
      last.size += data.length;
    } else {
      const group: [NewEvent, ...NewEvent[]] = [event];
      groups.push(group);
      open.set(key, { group, size: data.length });
    }
  }
  return groups;
}

function isTraced(event: NewEvent): boolean {
  const span = trace.getSpanContext(contextOf(event.trace));
  return span !== undefined && isSampled(span);
}

/** Returns the message of a group. */
export function toMessage(group: Group, id: string): Message {
  const [{ type, teamId, trace: carried }] = group;
  return { id, type, teamId, body: encode(group), events: group.length, trace: carried };
}
