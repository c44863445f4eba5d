import { z } from 'zod';
import { exampleOf, withChanges } from './example.ts';
import type { Operation, OperationExample, ServiceName } from './operation.ts';
import { pathParams, type PathParams } from './path-parameters.ts';
import { withSpansInOrder } from './spans.ts';

/** The response of an operation that has nothing to return. */
export const success = z.object({ success: z.boolean().meta({ example: true }) });

type Derived = 'id' | 'service' | 'method' | 'path' | 'params' | 'status' | 'problems' | 'example';

/** An operation without what follows from the rest of it. */
interface Declaration extends Omit<Operation, Derived>, Partial<Pick<Operation, 'params' | 'status' | 'problems'>> {
  /** The method and the public path, with `:name` for parameters. */
  readonly route: `${Operation['method']} /${string}`;
  readonly example?: DeclaredExample;
}

/** What the examples of the schemas leave open: the query, another body, and changed fields of the response. */
export interface DeclaredExample {
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: object;
  readonly response?: Readonly<Record<string, unknown>>;
}

type Given<Declared, Name extends string, Default> = Declared extends { readonly [Key in Name]: infer Value }
  ? Value
  : Default;

type Completed<Service, Id, Declared extends Declaration> = Omit<Declared, Derived | 'route'> & {
  readonly id: Id;
  readonly service: Service;
  readonly method: Operation['method'];
  readonly path: Operation['path'];
  readonly params: Given<Declared, 'params', PathParams<Declared['route']>>;
  readonly status: Given<Declared, 'status', 200>;
  readonly problems: Operation['problems'];
  readonly example: OperationExample;
};

/**
 * Declares the operations of a service by id, and preserves their exact types. The parameters follow from the path, the
 * examples from the schemas; the status is 200 unless given. Queries and bodies refuse a span of time that is given backwards.
 */
export function declareOperations<
  const Service extends ServiceName,
  const Declarations extends Readonly<Record<string, Declaration>>,
>(service: Service, declarations: Declarations) {
  const operations = Object.entries(declarations).map(([id, { route, ...declared }]) => {
    const [method, path] = route.split(' ') as [Operation['method'], Operation['path']]; // its two parts
    const operation: Operation = {
      status: 200,
      problems: [],
      params: pathParams(path),
      ...declared,
      ...(declared.query && { query: withSpansInOrder(declared.query) }),
      ...(declared.body && { body: withSpansInOrder(declared.body) }),
      method,
      path,
      id,
      service,
      /** Made when it is read: only the API reference and tests do. */
      get example() {
        return declaredExample(declared);
      },
    };
    return [id, operation] as const;
  });
  return Object.fromEntries(operations) as unknown as {
    readonly [Id in keyof Declarations]: Completed<Service, Id, Declarations[Id]>;
  }; // each has its own id, and what Completed adds
}

interface Exemplified {
  readonly query?: z.ZodType;
  readonly body?: z.ZodType;
  readonly response: z.ZodType;
  readonly example?: DeclaredExample;
}

/** Returns an example of a request and its response. */
export function declaredExample({ query, body, response, example = {} }: Exemplified): OperationExample {
  const sent = example.body ?? (body && exampleOf(body));
  const received = exampleOf(response);
  return {
    ...(example.query && { query: example.query }),
    ...(sent !== undefined && { body: sent }),
    response: withChanges(received, { ...pageOf(received, query, example.query), ...example.response }),
  };
}

/** Returns the `pagination` that the query requests of a list that has it. */
function pageOf(response: unknown, query: z.ZodType | undefined, example: object = {}): object {
  if (typeof response !== 'object' || !response || !('pagination' in response)) return {};
  const page = query?.safeParse(example).data as { readonly limit?: number } | undefined; // a list has a limit
  return page?.limit === undefined ? {} : { pagination: { limit: page.limit } };
}
