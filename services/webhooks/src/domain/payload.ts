import { z } from 'zod';

/** It was stored as JSON: checking every field again would find nothing. */
const fields = z.custom<Readonly<Record<string, unknown>>>(
  value => typeof value === 'object' && value !== null && !Array.isArray(value),
);
const payload = z.object({ data: z.object({ object: fields, previous_attributes: fields.nullish() }) });

/** The content of a stored event of a handled type: the object as it was then, and the fields that changed as they were before. */
export function readPayload(stored: unknown) {
  const { object, previous_attributes: previous } = payload.parse(stored).data;
  return { object, previousAttributes: previous ?? null };
}
