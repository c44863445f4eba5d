import { z } from 'zod';
import { timestamp } from './timestamp.ts';

/** A type of domain event: its name on the bus (`<noun>.<past tense>.v1`) and the shape of its data. */
export interface EventType<Data extends z.ZodType = z.ZodType> {
  readonly name: string;
  readonly data: Data;
}

/** Declares a type of domain event. */
export function defineEvent<Data extends z.ZodType>(name: string, data: Data): EventType<Data> {
  return { name, data };
}

/** What travels on the bus: the event's data and what every event carries. */
export const envelope = z.object({
  id: z.uuid(),
  type: z.string(),
  teamId: z.string(),
  occurredAt: timestamp,
  data: z.unknown(),
});
export type Envelope = z.output<typeof envelope>;
