import { z } from 'zod';
import { existing, isDeleted, type Live } from '../objects/finding.ts';
import { kindOf, TABLES, type TableName } from '../objects/tables.ts';
import type { Table } from '../store/table.ts';
import { createdWithin, listPage, type Page, type Range } from './lists.ts';
import { expand, parseParameters } from './parameters.ts';
import type { UnitOfWork } from './unit-of-work.ts';

/** What an endpoint's path says: `:id` and `:child`, empty when it has none. */
export interface PathIds {
  id: string;
  /** What belongs to the object of `id`. */
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

/** The parameters of an endpoint that takes none but what to expand. */
export const onlyExpand = z.strictObject({ expand });
export const noParameters = z.strictObject({});

/** How the objects of a table are read. */
interface Reading<Name extends TableName, Given> {
  /** The parameters of the list that are equal to the field of the same name. */
  readonly by?: readonly (keyof Given & string)[];
  /** What the other parameters of the list want. */
  readonly isListed?: (row: Live<Name>, given: Given, unit: UnitOfWork) => boolean;
  /** Returns an object as the API shows it now; as it is stored unless given. */
  readonly shown?: (unit: UnitOfWork, row: Live<Name>) => { id: string };
}

type ListParameters = z.ZodType<Page & { created?: Range | undefined; [name: string]: unknown }>;

/** Declares the endpoints that list the objects of a table and that retrieve one of them. */
export function reads<Name extends TableName, Schema extends ListParameters>(
  name: Name,
  path: string,
  schema: Schema,
  reading: Reading<Name, z.output<Schema>> = {},
): Endpoint[] {
  const { shown = (_, row) => row } = reading;
  return [lists(name, path, schema, reading), endpointOn(name, 'GET', `${path}/:id`, onlyExpand, shown)];
}

/** Declares the endpoint that lists the objects of a table, but no stubs of deleted ones. */
export function lists<Name extends TableName, Schema extends ListParameters>(
  name: Name,
  path: string,
  schema: Schema,
  { by = [], isListed = () => true, shown = (_, row) => row }: Reading<Name, z.output<Schema>> = {},
): Endpoint {
  return endpoint('GET', path, schema, (unit, given, { url }) => {
    // What the filter below leaves are no stubs.
    const table = unit.tables[name] as unknown as Table<Live<Name>>;
    const wanted = by.flatMap(field => (given[field] === undefined ? [] : [[field, given[field]] as const]));
    const index = wanted.find(([field]) => TABLES[name].indexed.includes(field));
    const isInTime = createdWithin(given.created);
    const page = listPage(index ? table.withField(...index) : table, given, url, kindOf(name), row => {
      if (isDeleted(row) || !isInTime(row)) return false;
      return wanted.every(([field, value]) => Reflect.get(row, field) === value) && isListed(row, given, unit);
    });
    return { ...page, data: page.data.map(row => shown(unit, row)) };
  });
}

/** Declares an endpoint that acts on one object of a table, whose id is in the path. */
export function endpointOn<Name extends TableName, Schema extends z.ZodType>(
  name: Name,
  method: Endpoint['method'],
  path: string,
  schema: Schema,
  handle: (unit: UnitOfWork, row: Live<Name>, given: z.output<Schema>) => object,
): Endpoint {
  return endpoint(method, path, schema, (unit, given, { id }) => handle(unit, existing(unit, name, id), given));
}
