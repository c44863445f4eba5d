import { randomUUID } from 'node:crypto';
import { envelope, type Envelope, type EventType } from '@billing/contracts/event';
import type { TeamId } from '@billing/contracts/ids';
import type { z } from 'zod';

/** Returns an event as its service publishes it. */
export function newEvent<Data extends z.ZodType>(
  type: EventType<Data>,
  teamId: TeamId,
  data: z.output<Data>,
  occurredAt = new Date(),
): Envelope {
  return { id: randomUUID(), type: type.name, teamId, occurredAt, data: type.data.encode(data) };
}

/** Returns a message of the bus with events of one type. Each has an id of its own, so that the bus drops no repeat. */
export const messageWith = (...events: readonly Envelope[]) => ({
  id: randomUUID(),
  type: events[0]?.type ?? '',
  teamId: events[0]?.teamId ?? '',
  body: JSON.stringify(events.map(event => envelope.encode(event))),
  trace: {},
});
