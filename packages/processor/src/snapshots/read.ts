import { z } from 'zod';

/** The last second of the year 9999: what lies beyond can be kept nowhere. */
const LATEST_SECOND = 253_402_300_799;

/** The processor's time, whole seconds since 1970, as a Date. */
export const unixTime = z
  .number()
  .min(0)
  .max(LATEST_SECOND)
  .transform(seconds => new Date(seconds * 1_000));

/** A reference that is an id, or the whole object when it was expanded. */
export const reference = z.union([z.string(), z.object({ id: z.string() }).transform(it => it.id)]);

/** Metadata as the processor keeps it. */
export const processorMetadata = z
  .record(z.string(), z.string())
  .nullish()
  .transform(it => it ?? {});

/** An optional or null field becomes null. */
export const orNull = <Schema extends z.ZodType>(schema: Schema) => schema.nullish().transform(it => it ?? null);
