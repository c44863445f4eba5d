import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { inject } from 'vitest';
import type { ApiResponse, Caller } from './http.ts';

interface Reference {
  readonly $ref: string;
}
interface Content {
  readonly schema: object;
  readonly examples?: Readonly<Record<string, unknown>>;
}
interface DocumentedResponse {
  readonly content: Readonly<Record<string, Content>>;
}
interface DocumentedOperation {
  readonly operationId: string;
  readonly responses: Readonly<Record<string, DocumentedResponse | Reference>>;
}
interface DocumentedWebhook {
  readonly post: { readonly requestBody: Pick<DocumentedResponse, 'content'> };
}
interface ApiDocument {
  readonly webhooks: Readonly<Record<string, DocumentedWebhook>>;
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, object>>;
    readonly responses: Readonly<Record<string, DocumentedResponse>>;
  };
}

/** The API as its OpenAPI document describes it. */
export interface DocumentedApi {
  /** Returns the ids of the documented operations below a path, or all of them, that have not succeeded so far. */
  notSucceeded(prefix?: string): string[];
  /** Throws when an event does not match what is documented of its type. */
  checkEvent(event: { readonly type: string }): void;
  /** Returns the same caller; from now on it throws when a response does not match the document. */
  verify(caller: Caller): Caller;
}

/**
 * Reads the running system's OpenAPI document.
 * @throws Error when a schema is not valid JSON Schema 2020-12
 */
export async function openDocumentedApi(): Promise<DocumentedApi> {
  const fetched = await fetch(`${inject('gatewayUrl')}/openapi.json`);
  const document = (await fetched.json()) as ApiDocument; // checked by the tests
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );
  const ajv = new Ajv2020({ strict: true, strictRequired: false, allErrors: true });
  formats.default(ajv);
  ajv.addVocabulary(['components']);
  for (const schema of Object.values(document.components.schemas)) ajv.compile(withComponents(document, schema));
  const succeeded = new Set<string>();
  /** By what is documented: to compile one takes longer than a request. */
  const validators = new Map<Content, ValidateFunction>();

  function operationAt(method: string, path: string): DocumentedOperation {
    const [match] = operations
      .filter(it => it.method === method && patternOf(it.path).test(path))
      // When several paths match, the one with the fewest parameters is the most specific.
      .toSorted((one, other) => one.path.split('{').length - other.path.split('{').length);
    if (!match) throw new Error(`${method} ${path} is not documented.`);
    return match.operation;
  }

  function check(method: string, target: string, response: ApiResponse): void {
    const { operationId, responses } = operationAt(method, target.split('?', 1)[0] ?? '');
    const received = `${operationId} returned ${response.status} ${JSON.stringify(response.body)}`;
    const documented = responses[response.status];
    if (!documented) throw new Error(`${received}, a status that is not documented.`);
    const { content } = '$ref' in documented ? resolveResponse(document, documented) : documented;
    const type = response.headers.get('content-type')?.split(';', 1)[0] ?? '';
    const expected = content[type];
    if (!expected) throw new Error(`${received} as ${type}, a type that is not documented.`);
    if (!response.headers.get('x-request-id')) throw new Error(`${received} without a request id.`);
    const isSuccess = response.status < 300;
    const validate =
      validators.get(expected) ?? ajv.compile(withComponents(document, expected.schema, { exactly: isSuccess }));
    validators.set(expected, validate);
    const isValid: boolean = validate(response.body);
    if (!isValid) throw new Error(`${received}, which does not match: ${format(validate.errors)}`);
    if (isSuccess) succeeded.add(operationId);
    else if (expected.examples && !Object.hasOwn(expected.examples, response.body.error.code))
      throw new Error(`${received}, a code that is not documented.`);
  }

  function checkEvent(event: { readonly type: string }): void {
    const content = document.webhooks[event.type]?.post.requestBody.content['application/json'];
    if (!content) throw new Error(`${event.type} is not documented.`);
    const validate = validators.get(content) ?? ajv.compile(withComponents(document, content.schema));
    validators.set(content, validate);
    if (!validate(event)) throw new Error(`${JSON.stringify(event)} does not match: ${format(validate.errors)}`);
  }

  return {
    checkEvent,
    notSucceeded: (prefix = '') =>
      operations
        .filter(({ path, operation }) => path.startsWith(prefix) && !succeeded.has(operation.operationId))
        .map(({ operation }) => operation.operationId),
    verify(caller) {
      const send = caller.send.bind(caller);
      caller.send = async (method, path, ...rest) => {
        const response = await send(method, path, ...rest);
        check(method, path, response);
        return response;
      };
      return caller;
    },
  };
}

function resolveResponse({ components }: ApiDocument, { $ref }: Reference): DocumentedResponse {
  const response = components.responses[$ref.replace('#/components/responses/', '')];
  if (!response) throw new Error(`The document refers to ${$ref}, which does not exist.`);
  return response;
}

/** Adds the components that a schema may refer to. `exactly` rejects fields that are not documented. */
function withComponents({ components: { schemas } }: ApiDocument, schema: object, { exactly = false } = {}): object {
  const whole = { ...schema, components: { schemas } };
  return exactly ? closeObjects(whole) : whole;
}

function closeObjects<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(closeObjects) as Value; // the shape is unchanged
  const copy = Object.fromEntries(Object.entries(value).map(([name, of]) => [name, closeObjects(of)]));
  const isOpenObject = copy['type'] === 'object' && 'properties' in copy && !('additionalProperties' in copy);
  return { ...copy, ...(isOpenObject && { additionalProperties: false }) } as Value; // the shape is unchanged
}

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replaceAll(/[.*+?^$()|[\]\\]/g, String.raw`\$&`).replaceAll(/\{\w+\}/g, '[^/]+')}$`);
}

const format = (errors: ErrorObject[] | null | undefined): string =>
  (errors ?? []).map(({ instancePath, message }) => `${instancePath || '(root)'} ${message}`).join('; ');
