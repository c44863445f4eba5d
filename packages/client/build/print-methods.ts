import type { Operation } from '@billing/contracts/operation';
import { z } from 'zod';
import type { MethodClass } from './method-table.ts';
import { NAMES } from './names.ts';
import { fieldsOf, idsOf, listOf, operationOf } from './operations.ts';
import { comment, type TypePrinter } from './print-types.ts';

const PAGE_FIELDS = ['limit', 'offset', 'cursor'];

/** Prints a class of the client with the methods of its resources. */
export function printClass(name: string, { root, resources }: MethodClass, types: TypePrinter): string {
  const functions = Object.entries(resources).map(([resource, [, methods, own]]) => {
    const printed = Object.entries(methods).map(([method, id]) => printMethod(method, operationOf(id), root, types));
    const inherited = own === undefined ? '' : `...own.${own}(requests),\n`;
    return `const ${functionOf(name, resource)} = (requests: Requests) => ({\n${printed.join('')}${inherited}});\n`;
  });
  const fields = Object.entries(resources).map(
    ([resource, [about]]) =>
      `${comment(about)}readonly ${resource}: ReturnType<typeof ${functionOf(name, resource)}>;\n`,
  );
  const made = Object.keys(resources).map(resource => `this.${resource} = ${functionOf(name, resource)}(requests);\n`);
  return `${functions.join('')}
export class ${name} {
${fields.join('')}
constructor(requests: Requests) {
${made.join('')}}
}
`;
}

const functionOf = (className: string, resource: string): string => `${resource}Of${className.replace('Methods', '')}`;

function printMethod(method: string, operation: Operation, root: string, types: TypePrinter): string {
  const { id, method: verb, path, body, query, summary } = operation;
  const ids = idsOf(operation, root).map(name => `${name}: string`);
  const url = `\`${path.slice(root.length).replaceAll(/:(\w+)/g, '${segment($1)}')}\``;
  const parameters = [
    ...ids,
    ...(body ? [printBody(operation, ids.length > 0, types)] : []),
    ...(verb === 'GET' && query ? [printQuery(id, query, types)] : []),
    `options?: ${verb === 'POST' ? 'WriteOptions' : 'CallOptions'}`,
  ].join(', ');
  const sent = [body && 'body', verb === 'GET' && query && 'query', 'options'].filter(Boolean).join(', ');
  const [type, result] = printCall(operation, url, sent, types);
  return `${comment(`${summary}.`)}${method}: ${type.startsWith('Promise') ? 'async ' : ''}(${parameters}): ${type} => ${result},\n`;
}

/** Returns the type of a call and the expression that makes it. */
function printCall(operation: Operation, url: string, sent: string, types: TypePrinter): [type: string, text: string] {
  const { id, method, response } = operation;
  const named = NAMES[id]?.response;
  const request = `{ method: '${method}', path: ${url}, ${sent} }`;
  if (named !== undefined || z.globalRegistry.get(response)?.id !== undefined) {
    const type = named === undefined ? types.response(response) : types.declareResponse(named, response);
    return [`Promise<wire.${type}>`, `requests.send<wire.${type}>(${request})`];
  }
  const list = listOf(operation);
  if (list) {
    const type = wired(types.response(list.item));
    const query = sent.includes('query') ? 'query' : '{}';
    return list.isCounted
      ? [`List<${type}>`, `requests.list<${type}>(${url}, '${list.name}', ${query}, options)`]
      : [
          `List<${type}, CursorPage<${type}>>`,
          `requests.listByCursor<${type}>(${url}, '${list.name}', ${query}, options)`,
        ];
  }
  if (method === 'DELETE') return ['Promise<void>', `requests.delete(${url}, options)`];
  const [only, ...others] = fieldsOf(operation);
  if (!only || others.length > 0) throw new Error(`The response of ${id} needs a name.`);
  const type = wired(types.response(only[1]));
  if (only[0] === 'success')
    return [`Promise<{ success: boolean }>`, `requests.send<{ success: boolean }>(${request})`];
  return [`Promise<${type}>`, `(await requests.send<{ ${only[0]}: ${type} }>(${request})).${only[0]}`];
}

/** A type that is declared is that of the wire's types, which may have a more exact one of its name. */
const wired = (type: string): string => type.replaceAll(/\b[A-Z]\w+/g, name => `wire.${name}`);

function printBody({ id, method, body }: Operation, isOfOne: boolean, types: TypePrinter): string {
  if (!body) return '';
  const accepted = body instanceof z.ZodOptional ? body.unwrap() : body;
  const schema = accepted instanceof z.ZodNullable ? accepted.unwrap() : accepted;
  const name = NAMES[id]?.body ?? z.globalRegistry.get(schema)?.id;
  if (name === undefined) throw new Error(`The body of ${id} needs a name.`);
  types.declareRequest(name, schema as z.ZodType);
  const isOptional = method === 'POST' && isOfOne && body.safeParse({}).success;
  return `body: wire.${name}${isOptional ? ' = {}' : ''}`;
}

/** Returns the parameter of a list's filters or of a window of time, whose type it declares. */
export function printQuery(id: string, query: z.ZodType, types: TypePrinter): string {
  const fields = query instanceof z.ZodObject ? Object.keys(query.shape) : [];
  const left = fields.filter(field => PAGE_FIELDS.includes(field) || field === 'waitMs');
  if (left.length === fields.length) return 'query?: PageOptions';
  const rest = left.includes('offset')
    ? 'PageOptions'
    : left.includes('cursor')
      ? `Omit<PageOptions, 'offset'>`
      : undefined;
  const name = NAMES[id]?.query ?? queryName(id);
  types.declareQuery(name, query, left, rest);
  return `query${query.safeParse({}).success ? '?' : ''}: wire.${name}`;
}

/** `listProducts` takes `ProductFilters`, `getAnalytics` an `AnalyticsWindow`. */
const queryName = (id: string): string =>
  id.startsWith('list') ? `${id.slice(4).replace(/ies$/, 'y').replace(/s$/, '')}Filters` : `${id.slice(3)}Window`;
