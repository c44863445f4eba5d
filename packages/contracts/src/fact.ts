import { z } from 'zod';
import { timestamp } from './timestamp.ts';

/** A kind of fact: its name on the bus (`<noun>.<fact>.v1`) and the shape of what it says. */
export interface FactType<Data extends z.ZodType = z.ZodType> {
  readonly name: string;
  readonly data: Data;
}

/** Declares a kind of fact. */
export function fact<Data extends z.ZodType>(name: string, data: Data): FactType<Data> {
  return { name, data };
}

/** What travels on the bus: the fact and what every fact carries. */
export const envelope = z.object({
  id: z.uuid(),
  type: z.string(),
  teamId: z.string(),
  occurredAt: timestamp,
  data: z.unknown(),
});
export type Envelope = z.output<typeof envelope>;
