import { z } from 'zod';

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

/** The object as a request's body sets it: each field has its value of `defaults` unless the caller gives another. */
export const settable = <Shape extends Readonly<Record<string, z.ZodType>>>(
  object: z.ZodObject<Shape>,
  defaults: z.output<z.ZodObject<Shape>>,
) => {
  const values = new Map<string, unknown>(Object.entries(defaults));
  const fields = Object.entries(object.shape).map(([name, schema]) => [name, withDefault(schema, values.get(name))]);
  // The same fields, each by its default.
  return z.strictObject(Object.fromEntries(fields)).meta(descriptionOf(object)) as unknown as z.ZodType<
    z.output<z.ZodObject<Shape>>,
    { readonly [Name in keyof Shape]?: z.input<Shape[Name]> | null | undefined }
  >;
};

const descriptionOf = ({ description }: z.ZodType) => (description === undefined ? {} : { description });
