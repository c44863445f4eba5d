import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { inject } from 'vitest';
import type { Answer, Caller } from './http.ts';

interface Reference {
  readonly $ref: string;
}
interface Content {
  readonly schema: object;
  readonly examples?: Readonly<Record<string, unknown>>;
}
interface DescribedAnswer {
  readonly content: Readonly<Record<string, Content>>;
}
interface DescribedOperation {
  readonly operationId: string;
  readonly responses: Readonly<Record<string, DescribedAnswer | Reference>>;
}
interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, object>>;
    readonly responses: Readonly<Record<string, DescribedAnswer>>;
  };
}

/** The API as its document describes it, held against what it answers. */
export interface DescribedApi {
  /** The ids of all its operations. */
  readonly operationIds: readonly string[];
  /** The ids of those that were seen to succeed. */
  readonly succeeded: ReadonlySet<string>;
  /** The same caller, whose every answer must fit the document from now on. */
  watch(caller: Caller): Caller;
}

/** Reads the running system's document, and compiles every schema in it by JSON Schema 2020-12. */
export async function openDescribedApi(): Promise<DescribedApi> {
  const response = await fetch(`${inject('gatewayUrl')}/openapi.json`);
  const document = (await response.json()) as ApiDocument; // what the tests find out
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );
  const ajv = new Ajv2020({ strict: true, strictRequired: false, allErrors: true });
  formats.default(ajv);
  ajv.addVocabulary(['components']);
  for (const schema of Object.values(document.components.schemas)) ajv.compile(within(document, schema));
  const succeeded = new Set<string>();

  function operationAt(method: string, path: string): DescribedOperation {
    const found = operations
      .filter(it => it.method === method && patternOf(it.path).test(path))
      // Where two fit, the one with fewer parameters says more.
      .toSorted((one, other) => one.path.split('{').length - other.path.split('{').length)[0];
    if (!found) throw new Error(`${method} ${path} is not described.`);
    return found.operation;
  }

  function check(method: string, target: string, answer: Answer): void {
    const { operationId, responses } = operationAt(method, target.split('?', 1)[0] ?? '');
    const said = `${operationId} answered ${answer.status} ${JSON.stringify(answer.body)}`;
    const described = responses[answer.status];
    if (!described) throw new Error(`${said}, and the document knows no such status.`);
    const { content } = '$ref' in described ? answerAt(document, described) : described;
    const type = answer.headers.get('content-type')?.split(';', 1)[0] ?? '';
    const expected = content[type];
    if (!expected) throw new Error(`${said} as ${type}, and the document knows no such type.`);
    if (!answer.headers.get('x-request-id')) throw new Error(`${said} without a request id.`);
    const isSuccess = answer.status < 300;
    const fits = ajv.compile(within(document, expected.schema, { exactly: isSuccess }));
    const isFit: boolean = fits(answer.body);
    if (!isFit) throw new Error(`${said}, which does not fit: ${told(fits.errors)}`);
    if (isSuccess) succeeded.add(operationId);
    else if (expected.examples && !Object.hasOwn(expected.examples, answer.body.error.code))
      throw new Error(`${said}, and the document does not know the code.`);
  }

  return {
    operationIds: operations.map(({ operation }) => operation.operationId),
    succeeded,
    watch(caller) {
      const send = caller.send.bind(caller);
      caller.send = async (method, path, ...rest) => {
        const answer = await send(method, path, ...rest);
        check(method, path, answer);
        return answer;
      };
      return caller;
    },
  };
}

function answerAt({ components }: ApiDocument, { $ref }: Reference): DescribedAnswer {
  const answer = components.responses[$ref.replace('#/components/responses/', '')];
  if (!answer) throw new Error(`The document refers to ${$ref}, which it lacks.`);
  return answer;
}

/** A schema with the components it may refer to. `exactly`: no field is answered that is not described. */
function within({ components: { schemas } }: ApiDocument, schema: object, { exactly = false } = {}): object {
  const whole = { ...schema, components: { schemas } };
  return exactly ? withoutFurtherFields(whole) : whole;
}

function withoutFurtherFields<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(withoutFurtherFields) as Value; // of the same shape
  const copy = Object.fromEntries(Object.entries(value).map(([name, of]) => [name, withoutFurtherFields(of)]));
  const isOpenObject = copy['type'] === 'object' && 'properties' in copy && !('additionalProperties' in copy);
  return { ...copy, ...(isOpenObject && { additionalProperties: false }) } as Value; // of the same shape
}

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replaceAll(/[.*+?^$()|[\]\\]/g, String.raw`\$&`).replaceAll(/\{\w+\}/g, '[^/]+')}$`);
}

const told = (errors: ErrorObject[] | null | undefined): string =>
  (errors ?? []).map(({ instancePath, message }) => `${instancePath || '(the whole)'} ${message}`).join('; ');
