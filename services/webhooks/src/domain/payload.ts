import { z } from 'zod';

/** What was stored is JSON; a look at every field again would be for nothing. */
const fields = z.custom<Readonly<Record<string, unknown>>>(
  value => typeof value === 'object' && value !== null && !Array.isArray(value),
);
const payload = z.object({ data: z.object({ object: fields, previous_attributes: fields.nullish() }) });

/** What a stored event of a handled type tells: the object as it was then, and what it was before. */
export function readPayload(stored: unknown) {
  const { object, previous_attributes: previous } = payload.parse(stored).data;
  return { object, previousAttributes: previous ?? null };
}

export type Payload = ReturnType<typeof readPayload>;
