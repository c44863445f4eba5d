import { randomUUID } from 'node:crypto';
import type { Envelope, EventType } from '@billing/contracts/event';
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
