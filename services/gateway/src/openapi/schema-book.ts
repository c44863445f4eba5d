import { namedSchemas, type NamedSchema } from '@billing/contracts/openapi/named-schemas';
import { z } from 'zod';
import type { Schema } from './openapi.ts';

/** Turns zod's schemas into JSON Schema, in which those with a name are referred to. */
export interface SchemaBook {
  /** What was referred to so far, by name. */
  readonly components: Readonly<Record<string, Schema>>;
  /** The shape on the wire, which is a codec's input: times as texts, fields with a default left out at will. */
  wire(schema: z.ZodType): Schema;
  /**
   * The parameters that an object of texts holds. Parameters are described by their values, of which an address holds
   * the text: 20 as `20`, true as `true`.
   */
  parameters(schema: z.ZodType): ParameterSchema[];
}

interface ParameterSchema {
  readonly name: string;
  readonly required: boolean;
  readonly schema: Schema;
}

/** A book in which nothing has been looked up. */
export function openSchemaBook(): SchemaBook {
  const components: Record<string, Schema> = {};
  const registry = z.registry<{ id: string; description: string }>();
  for (const { name, schema, description } of namedSchemas) registry.add(schema, { id: name, description });

  function convert(schema: z.ZodType, io: 'input' | 'output'): Schema {
    const converted = z.toJSONSchema(schema, {
      io,
      metadata: registry,
      unrepresentable: 'any',
      override: ({ jsonSchema }) => leaveOutTheObvious(jsonSchema),
    });
    const { $schema: _dialect, $defs, ...json } = pointToComponents(converted);
    for (const { name, fields } of namedSchemas) {
      const found = $defs?.[name];
      if (found) components[name] ??= describeFields(found, fields);
    }
    return json;
  }

  return {
    components,
    wire: schema => convert(schema, 'input'),
    parameters(schema) {
      const { required = [] } = convert(schema, 'input');
      const { properties = {} } = convert(schema, 'output');
      return Object.entries(properties).map(([name, of]) => ({ name, required: required.includes(name), schema: of }));
    },
  };
}

interface Converted extends Schema {
  readonly $schema?: string;
  readonly $defs?: Readonly<Record<string, Schema>>;
}

const pointToComponents = (json: object): Converted =>
  JSON.parse(JSON.stringify(json).replaceAll('"#/$defs/', '"#/components/schemas/')) as Converted; // what zod makes of a schema

/** The pattern of a time says no more than its format; every whole number is between the safest two. */
function leaveOutTheObvious(json: z.core.JSONSchema.BaseSchema): void {
  if (json.format === 'date-time' || json.format === 'date') delete json.pattern;
  if (json.minimum === Number.MIN_SAFE_INTEGER) delete json.minimum;
  if (json.maximum === Number.MAX_SAFE_INTEGER) delete json.maximum;
}

function describeFields(schema: Schema, fields: NamedSchema['fields']): Schema {
  const described = Object.entries(fields).map(([name, description]) => [
    name,
    { ...schema.properties?.[name], description },
  ]);
  return { ...schema, properties: { ...schema.properties, ...Object.fromEntries(described) } };
}
