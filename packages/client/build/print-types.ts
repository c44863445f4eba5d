import { z } from 'zod';

/** A JSON Schema as Zod makes it: a schema with an id is a reference to a definition. */
type JsonSchema = z.core.JSONSchema.BaseSchema;
type Definitions = Readonly<Record<string, JsonSchema>>;

const REFERENCE = '#/$defs/';
/** The pattern of an id, whose prefix its type shows. */
const ID_PATTERN = /^\^(\w+_)\[0-9A-Za-z\]/;
/** Types that are more exact by hand, by the name that the contracts give. */
const BY_HAND: Readonly<Record<string, string>> = { Event: 'BillingEvent' };

/** Prints types, and keeps the declarations of what they name. */
export class TypePrinter {
  readonly #declarations = new Map<string, string>();

  /** The declarations of all types that were named, by name. */
  get declarations(): readonly string[] {
    return [...this.#declarations].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, text]) => text);
  }

  /** Returns the type of what the service sends. */
  response(schema: z.ZodType): string {
    const { $defs = {}, ...json } = toJsonSchema(schema, 'input');
    return this.#printResponse(json, $defs);
  }

  /** Declares the type of what the service sends under a name, unless the schema has its own. */
  declareResponse(name: string, schema: z.ZodType): string {
    const isNamed = z.globalRegistry.get(schema)?.id !== undefined;
    return isNamed ? this.response(schema) : this.#declare(name, schema.description, () => this.response(schema));
  }

  /** Declares the type of what the service takes under a name: ids are plain strings, and times may be a `Date`. */
  declareRequest(name: string, schema: z.ZodType): string {
    const { $defs = {}, ...json } = toJsonSchema(schema, 'input');
    return this.#declare(name, schema.description, () => printRequest(json, $defs));
  }

  /** Declares the type of a query under a name, by its decoded values and without `left`: that of `rest` has these. */
  declareQuery(name: string, schema: z.ZodType, left: readonly string[], rest: string | undefined): string {
    const { required = [] } = toJsonSchema(schema, 'input');
    const { properties = {}, $defs = {} } = toJsonSchema(schema, 'output');
    const own = Object.fromEntries(Object.entries(properties).filter(([field]) => !left.includes(field)));
    const printOwn = () => printRequest({ type: 'object', properties: own, required }, $defs);
    return this.#declare(name, undefined, () => (rest === undefined ? printOwn() : `${rest} & ${printOwn()}`));
  }

  #declare(name: string, description: string | undefined, printType: () => string): string {
    if (!this.#declarations.has(name)) {
      this.#declarations.set(name, ''); // a type may contain itself
      this.#declarations.set(name, `${comment(description)}export type ${name} = ${printType()};\n`);
    }
    return name;
  }

  #printResponse(schema: JsonSchema, definitions: Definitions): string {
    if (schema.$ref === undefined)
      return print(schema, {
        nested: inner => this.#printResponse(inner, definitions),
        text: ({ pattern = '' }) =>
          ID_PATTERN.test(pattern) ? `\`${ID_PATTERN.exec(pattern)?.[1]}\${string}\`` : 'string',
        modifier: '',
      });
    const [name, definition] = definitionOf(schema.$ref, definitions);
    return (
      BY_HAND[name] ?? this.#declare(name, definition.description, () => this.#printResponse(definition, definitions))
    );
  }
}

function printRequest(schema: JsonSchema, definitions: Definitions): string {
  if (schema.$ref !== undefined) return printRequest(definitionOf(schema.$ref, definitions)[1], definitions);
  return print(schema, {
    nested: inner => printRequest(inner, definitions),
    text: ({ format }) => (format === 'date-time' ? 'string | Date' : 'string'),
    modifier: 'readonly ',
  });
}

interface Way {
  readonly nested: (schema: JsonSchema) => string;
  readonly text: (schema: JsonSchema) => string;
  readonly modifier: '' | 'readonly ';
}

/** @throws Error for a schema of a kind that no operation has yet */
function print(schema: JsonSchema, way: Way): string {
  const { type, anyOf, allOf, items, additionalProperties } = schema;
  if ('const' in schema) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map(value => JSON.stringify(value)).join(' | ');
  const members = anyOf ?? schema.oneOf;
  if (members) return members.map(member => way.nested(member)).join(' | ');
  if (allOf) return allOf.map(member => `(${way.nested(member)})`).join(' & ');
  if (Array.isArray(type)) return type.map(one => way.nested({ ...schema, type: one })).join(' | ');
  if (type === 'array') {
    const modifier = schema.readOnly ? 'readonly ' : way.modifier;
    return `${modifier}${inBrackets(way.nested(items as JsonSchema))}[]`; // the contracts' arrays have one kind of items
  }
  if (type === 'object' && schema.properties) return printObject(schema, way);
  if (type === 'object' && typeof additionalProperties === 'object')
    return printRecord(schema, way.nested(additionalProperties), way);
  if (type === 'string') return way.text(schema);
  if (type === 'integer') return 'number';
  if (type !== undefined && ['number', 'boolean', 'null'].includes(type)) return type;
  if (type === undefined) return 'unknown';
  throw new Error(`There is no type for ${JSON.stringify(schema)}.`);
}

function printObject({ properties = {}, required = [] }: JsonSchema, { nested, modifier }: Way): string {
  const fields = Object.entries(properties as Record<string, JsonSchema>).map(([name, field]) => {
    const [mark, absent] = required.includes(name) ? ['', ''] : ['?', ' | undefined'];
    return `${comment(field.description)}${modifier}${name}${mark}: ${nested(field)}${absent};\n`;
  });
  return `{\n${fields.join('')}}`;
}

/** A record has any names, or all of some, or some of them. */
function printRecord({ propertyNames, required }: JsonSchema, value: string, { nested, modifier }: Way): string {
  const names = typeof propertyNames === 'object' && propertyNames.enum ? nested(propertyNames) : 'string';
  const record = `Record<${names}, ${value}>`;
  const whole = names !== 'string' && required === undefined ? `Partial<${record}>` : record;
  return modifier === '' ? whole : `Readonly<${whole}>`;
}

const inBrackets = (type: string): string => (/[|&]/.test(type) ? `(${type})` : type);

/** Returns a comment with the text; nothing without one. */
export const comment = (text: string | undefined): string => (text ? `/** ${text.replaceAll('*/', '*∕')} */\n` : '');

function definitionOf(reference: string, definitions: Definitions): [name: string, definition: JsonSchema] {
  const name = reference.slice(REFERENCE.length);
  const definition = definitions[name];
  if (!definition) throw new Error(`${reference} is not defined.`);
  return [name, definition];
}

const toJsonSchema = (schema: z.ZodType, io: 'input' | 'output'): JsonSchema =>
  z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      if (zodSchema instanceof z.ZodDate) Object.assign(jsonSchema, { type: 'string', format: 'date-time' });
    },
  });
