import { z } from 'zod';

/**
 * Returns the example of a schema as JSON: its own, or one that follows from its parts. An object's own example is laid over
 * those of its fields, and what may be null or absent is so unless an example says otherwise.
 * @throws Error when a part has no example and none follows from its type
 */
export function exampleOf(schema: z.core.$ZodType): unknown {
  const own = z.globalRegistry.get(schema)?.['example'];
  if (schema instanceof z.ZodObject) {
    const ofFields = Object.entries(schema.shape).flatMap(([name, field]) => {
      const example = isPlain(own) && name in own ? own[name] : exampleOf(field);
      return example === undefined ? [] : [[name, example] as const];
    });
    return Object.fromEntries(ofFields);
  }
  if (own !== undefined) return own;
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodExactOptional) return undefined;
  if (schema instanceof z.ZodDefault) return undefined;
  if (schema instanceof z.ZodPipe) return exampleOf(schema.in);
  if (schema instanceof z.ZodReadonly) return exampleOf(schema.def.innerType);
  if (schema instanceof z.ZodNullable) return null;
  if (schema instanceof z.ZodArray) return [exampleOf(schema.element)];
  if (schema instanceof z.ZodRecord) return {};
  if (schema instanceof z.ZodBoolean) return false;
  if (schema instanceof z.ZodLiteral) return schema.value;
  if (schema instanceof z.ZodEnum) return schema.options[0];
  throw new Error(`A ${schema.constructor.name} needs an example: ${z.globalRegistry.get(schema)?.description}`);
}

const isPlain = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Returns a response with other values of some of its fields, or of the fields of its objects and of those in its lists. */
export function withChanges(response: unknown, changes: Readonly<Record<string, unknown>>): unknown {
  if (!isPlain(response)) return response;
  const changed = Object.entries(changes).map(([name, change]) => {
    return [name, isPlain(change) ? withFields(response[name], change) : change] as const;
  });
  return { ...response, ...Object.fromEntries(changed) };
}

const withFields = (value: unknown, fields: object): unknown =>
  Array.isArray(value) ? value.map(item => withFields(item, fields)) : { ...(value as object), ...fields };
