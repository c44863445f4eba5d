import type { NamedSchema } from '@billing/contracts/openapi/named-schema';
import { namedSchemas } from '@billing/contracts/openapi/named-schemas';
import { z } from 'zod';
import type { Schema } from './openapi-types.ts';

/** Converts zod schemas to JSON Schema; a schema with a name becomes a reference to a component. */
export interface JsonSchemas {
  /** The components that converted schemas refer to, by name. */
  readonly components: Readonly<Record<string, Schema>>;
  /** Returns the shape on the wire, a codec's input: timestamps are texts, fields with a default are optional. */
  wire(schema: z.ZodType): Schema;
  /** Returns the parameters of an object of texts, described by their decoded values: 20 for `20`, true for `true`. */
  parameters(schema: z.ZodType): ParameterSchema[];
}

interface ParameterSchema {
  readonly name: string;
  readonly required: boolean;
  readonly schema: Schema;
}

/** Creates a converter without components. */
export function createJsonSchemas(): JsonSchemas {
  const components: Record<string, Schema> = {};
  const registry = z.registry<{ id: string; description: string }>();
  for (const { name, schema, description } of namedSchemas) registry.add(schema, { id: name, description });

  function convert(schema: z.ZodType, io: 'input' | 'output'): Schema {
    const converted = z.toJSONSchema(schema, {
      io,
      metadata: registry,
      unrepresentable: 'any',
      override: ({ jsonSchema }) => removeRedundant(jsonSchema),
    });
    const { $schema: _dialect, $defs, ...json } = referToComponents(converted);
    for (const { name, fields } of namedSchemas) {
      const definition = $defs?.[name];
      if (definition) components[name] ??= describeFields(definition, fields);
    }
    return json;
  }

  return {
    components,
    wire: schema => convert(schema, 'input'),
    parameters(schema) {
      const { required = [] } = convert(schema, 'input');
      const { properties = {} } = convert(schema, 'output');
      return Object.entries(properties).map(([name, property]) => ({
        name,
        required: required.includes(name),
        schema: property,
      }));
    },
  };
}

interface Converted extends Schema {
  readonly $schema?: string;
  readonly $defs?: Readonly<Record<string, Schema>>;
}

const referToComponents = (json: object): Converted =>
  JSON.parse(JSON.stringify(json).replaceAll('"#/$defs/', '"#/components/schemas/')) as Converted; // zod's output format

/** Removes patterns that repeat a format, and the bounds of safe integers. */
function removeRedundant(json: z.core.JSONSchema.BaseSchema): void {
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
