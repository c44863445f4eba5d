import type { EventType } from '@billing/contracts/event';
import type { z } from 'zod';
import type { TraceCarrier } from '@billing/tracing/trace-carrier';
import type { Publish } from './new-event.ts';

/** One of many items that an event carries, with the team it belongs to and the trace that led to it. */
export interface BatchedItem<Item> {
  readonly teamId: string;
  readonly item: Item;
  readonly trace: TraceCarrier;
}

/** Items per event; more would not fit into a message of the bus. */
const MAX_ITEMS = 100;

/**
 * Publishes events that each carry many items of one team. An event has a trace only if all of its items share it.
 */
export function publishBatched<Data extends z.ZodType, Item>(
  publish: Publish,
  type: EventType<Data>,
  items: readonly BatchedItem<Item>[],
  dataOf: (items: Item[]) => z.output<Data>,
): void {
  for (const [teamId, ofTeam] of Map.groupBy(items, item => item.teamId)) {
    for (let start = 0; start < ofTeam.length; start += MAX_ITEMS) {
      const some = ofTeam.slice(start, start + MAX_ITEMS);
      publish(type, teamId, dataOf(some.map(({ item }) => item)), sharedTrace(some));
    }
  }
}

function sharedTrace(items: readonly BatchedItem<unknown>[]): TraceCarrier {
  const [first, ...others] = items.map(({ trace }) => trace);
  return first && others.every(trace => trace['traceparent'] === first['traceparent']) ? first : {};
}
