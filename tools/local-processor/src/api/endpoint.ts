import type { z } from 'zod';
import { parseParameters } from './parameters.ts';
import type { Unit } from './unit.ts';

/** The ids in an endpoint's path: `:id`, and `:child` below it; empty where the path has none. */
export interface PathIds {
  id: string;
  child: string;
  /** The address itself, for the `url` of lists. */
  url: string;
}

/** One method of one path of the API. */
export interface Endpoint {
  method: 'GET' | 'POST' | 'DELETE';
  path: string;
  /** Checks the parameters; what it returns does the work. A refused parameter has begun nothing. */
  prepare(values: unknown): (unit: Unit, ids: PathIds) => object;
}

/** Declares an endpoint: its parameters are parsed before `answer` begins. */
export function endpoint<Schema extends z.ZodType>(
  method: Endpoint['method'],
  path: string,
  schema: Schema,
  answer: (unit: Unit, parameters: z.output<Schema>, ids: PathIds) => object,
): Endpoint {
  return {
    method,
    path,
    prepare: values => {
      const parsed = parseParameters(schema, values);
      return (unit, ids) => answer(unit, parsed, ids);
    },
  };
}
