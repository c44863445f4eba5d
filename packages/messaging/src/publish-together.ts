import { hash } from 'node:crypto';
import { trace } from '@opentelemetry/api';
import { contextOf, isSampled } from '@billing/tracing/trace-carrier';
import type { PublishMessage } from './bus.ts';
import { encode, encodeSeveral } from './message-body.ts';
import type { NewEvent } from './new-event.ts';

/** Events of one message, and the length of their data together; a larger event comes alone. */
const MAX_EVENTS = 32;
const MAX_SIZE = 128 * 1_024;

/**
 * Publishes events so that those of one team and type share messages: the server stores, syncs and delivers each message at a
 * cost of its own. Consumers get them one by one. Returns why events were not published; of a message, all of them or none were.
 */
export async function publishTogether(
  publish: PublishMessage,
  events: readonly NewEvent[],
): Promise<ReadonlyMap<NewEvent, unknown>> {
  const failed = new Map<NewEvent, unknown>();
  const publishGroup = async (group: readonly NewEvent[]) => {
    try {
      await publishMessage(publish, group);
    } catch (err) {
      for (const event of group) failed.set(event, err);
    }
  };
  await Promise.all(groupByMessage(events).map(publishGroup));
  return failed;
}

/** The repeat of a message with the same events is dropped by the server; that of one of its events is not. */
async function publishMessage(publish: PublishMessage, group: readonly NewEvent[]): Promise<void> {
  const [first, second] = group;
  if (!first) return;
  if (!second) return publish(first.type, encode(first), first.id, first.trace);
  const id = hash('sha256', group.map(event => event.id).join(' '));
  return publish(first.type, encodeSeveral(group), id, first.trace);
}

/**
 * Divides events into those that share a message, in their order. A message is redelivered as a whole, so no event waits for
 * one of another team. A traced event is alone: a message has one trace.
 */
export function groupByMessage(events: readonly NewEvent[]): NewEvent[][] {
  const groups: NewEvent[][] = [];
  const open = new Map<string, { readonly group: NewEvent[]; size: number }>();
  for (const event of events) {
    const { data } = event;
    const key = `${event.teamId} ${event.type}`;
    const last = open.get(key);
    if (isTraced(event)) groups.push([event]);
    else if (last && last.group.length < MAX_EVENTS && last.size + data.length <= MAX_SIZE) {
      last.group.push(event);
      last.size += data.length;
    } else {
      const group = [event];
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
