import type { z } from 'zod';

/** A schema with a name in the OpenAPI document, and descriptions of it and its fields. */
export interface NamedSchema {
  readonly name: string;
  readonly schema: z.ZodType;
  readonly description: string;
  readonly fields: Readonly<Record<string, string>>;
}

/** Names a schema. The type allows descriptions only for fields that the schema has. */
export const named = <Schema extends z.ZodType>(
  name: string,
  schema: Schema,
  description: string,
  fields: { readonly [Field in keyof z.input<Schema> & string]?: string } = {},
): NamedSchema => ({ name, schema, description, fields: fields as Readonly<Record<string, string>> }); // none is undefined
