import type { z } from 'zod';

/** Returns some properties of an object, those that it has. */
export function pick<Source extends object, Key extends keyof Source>(
  source: Source,
  keys: readonly Key[],
): Pick<Source, Key> {
  const picked: Partial<Pick<Source, Key>> = {};
  for (const key of keys) if (source[key] !== undefined) picked[key] = source[key];
  return picked as Pick<Source, Key>; // what is left out may be undefined
}

/**
 * Returns the fields that a schema names, from a source that may have others: a row has more than callers may see. What the
 * source lacks, or has otherwise, is in `more`.
 */
export function fieldsOf<Schema extends z.ZodObject, Key extends keyof z.output<Schema> = never>(
  { shape }: Schema,
  source: Readonly<Omit<z.output<Schema>, Key>>,
  more?: Readonly<Pick<z.output<Schema>, Key>>,
): z.output<Schema> {
  const all: Readonly<Record<string, unknown>> = { ...source, ...more };
  return pick(all, Object.keys(shape)) as z.output<Schema>; // the keys are those of the shape
}
