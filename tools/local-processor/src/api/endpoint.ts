import type { z } from 'zod';
import { parseParameters } from './parameters.ts';
import type { UnitOfWork } from './unit-of-work.ts';

/** The parameters in an endpoint's path: `:id` and `:child`; empty when the path has none. */
export interface PathIds {
  id: string;
  child: string;
  /** The request path, which lists return as `url`. */
  url: string;
}

/** One method of one path of the API. */
export interface Endpoint {
  method: 'GET' | 'POST' | 'DELETE';
  path: string;
  /** Validates the parameters and returns the function that handles the request. */
  prepare(values: unknown): (unit: UnitOfWork, ids: PathIds) => object;
}

/** Declares an endpoint. Its parameters are parsed before `handle` is called. */
export function endpoint<Schema extends z.ZodType>(
  method: Endpoint['method'],
  path: string,
  schema: Schema,
  handle: (unit: UnitOfWork, parameters: z.output<Schema>, ids: PathIds) => object,
): Endpoint {
  return {
    method,
    path,
    prepare: values => {
      const parsed = parseParameters(schema, values);
      return (unit, ids) => handle(unit, parsed, ids);
    },
  };
}
