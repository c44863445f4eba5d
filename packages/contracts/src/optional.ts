import type { z } from 'zod';

/** A field of a request's body that may be left out; null is the same. */
export const optional = <Schema extends z.ZodType>(schema: Schema) =>
  schema
    .nullish()
    .transform((value): z.output<Schema> | undefined => value ?? undefined)
    .optional()
    .meta(descriptionOf(schema));

/** A field of a request's body that has a value unless the caller gives another; null is the same as leaving it out. */
export const withDefault = <Schema extends z.ZodType>(schema: Schema, value: z.output<Schema>) =>
  schema
    .nullish()
    .transform((given): z.output<Schema> => given ?? value)
    .meta({ ...descriptionOf(schema), default: value });

const descriptionOf = ({ description }: z.ZodType) => (description === undefined ? {} : { description });
