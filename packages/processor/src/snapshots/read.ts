import { z } from 'zod';

/** The last second of the year 9999; databases and JSON can't represent later times. */
const LATEST_SECOND = 253_402_300_799;

/** Parses the processor's time, in whole seconds since 1970, to a Date. */
export const unixTime = z
  .number()
  .min(0)
  .max(LATEST_SECOND)
  .transform(seconds => new Date(seconds * 1_000));

/** Parses a reference, which is an id or an expanded object, to the id. */
export const reference = z.union([z.string(), z.object({ id: z.string() }).transform(it => it.id)]);

/** Parses the processor's metadata; none is an empty object. */
export const processorMetadata = z
  .record(z.string(), z.string())
  .nullish()
  .transform(it => it ?? {});

/** Parses an optional or null field to null. */
export const orNull = <Schema extends z.ZodType>(schema: Schema) => schema.nullish().transform(it => it ?? null);
