import { PATH_PARAMETERS, QUERY_PARAMETERS } from '@billing/contracts/openapi/parameters';
import type { Endpoint } from './endpoint.ts';
import type { Answer, Content, DescribedOperation, Parameter, Reference } from './openapi.ts';
import { describeRefusals } from './refusals.ts';
import type { SchemaBook } from './schema-book.ts';

const IDEMPOTENCY_KEY: Reference = { $ref: '#/components/parameters/IdempotencyKey' };
const REQUEST_ID: Reference = { $ref: '#/components/parameters/RequestId' };

/** An endpoint as the document tells it. */
export function describeEndpoint(endpoint: Endpoint, book: SchemaBook): DescribedOperation {
  const { id, tag, summary, description, security, body, example, takesIdempotencyKey, status, refusals } = endpoint;
  return {
    operationId: id,
    tags: [tag],
    summary,
    description,
    security,
    parameters: [
      ...pathParameters(endpoint, book),
      ...queryParameters(endpoint, book),
      ...(takesIdempotencyKey ? [IDEMPOTENCY_KEY] : []),
      REQUEST_ID,
    ],
    ...(body && {
      requestBody: { required: true, content: jsonContent({ schema: book.wire(body), example: example.body }) },
    }),
    responses: { [status]: successOf(endpoint, book), ...pageRefusals(endpoint), ...describeRefusals(refusals) },
  };
}

function pathParameters({ params }: Endpoint, book: SchemaBook): Parameter[] {
  return book.parameters(params).map(({ name, schema }) => {
    const note = noteOn(PATH_PARAMETERS, name);
    return { name, in: 'path', required: true, description: note.description, schema, example: note.example };
  });
}

/** What a codec makes of the example's texts is the value that the document shows. */
function queryParameters({ query, example }: Endpoint, book: SchemaBook): Parameter[] {
  if (!query) return [];
  const asked: object = example.query ?? {};
  const values = Object.entries(query.parse(asked) as Record<string, Value>); // what a text in an address can stand for
  const shown = new Map(values.filter(([name]) => name in asked));
  return book.parameters(query).map(({ name, required, schema }) => ({
    name,
    in: 'query',
    required,
    description: noteOn(QUERY_PARAMETERS, name),
    schema,
    ...exampleIn(shown.get(name)),
  }));
}

type Value = string | number | boolean;

const exampleIn = (example: Value | undefined) => (example === undefined ? {} : { example });

function noteOn<Note>(notes: Readonly<Record<string, Note>>, name: string): Note {
  const note = notes[name];
  if (note === undefined) throw new Error(`The documentation has no words for the parameter ${name}.`);
  return note;
}

function successOf({ takesIdempotencyKey, response, status, example }: Endpoint, book: SchemaBook): Answer {
  return {
    description: status === 201 ? 'Created.' : 'Done.',
    headers: {
      'X-Request-Id': { $ref: '#/components/headers/RequestId' },
      ...(takesIdempotencyKey && { 'Idempotent-Replayed': { $ref: '#/components/headers/IdempotentReplayed' } }),
    },
    content: response === 'page' ? PAGE : jsonContent({ schema: book.wire(response), example: example.response }),
  };
}

const PAGE: Readonly<Record<string, Content>> = { 'text/html': { schema: { type: 'string' } } };
const REFUSED_WITH_A_PAGE = { 404: 'The token is unknown, expired or revoked.', 503: 'Try again in a moment.' };

/** What a page refuses it says with a page. */
function pageRefusals({ response }: Endpoint): Record<string, Answer> {
  if (response !== 'page') return {};
  return Object.fromEntries(
    Object.entries(REFUSED_WITH_A_PAGE).map(([status, description]) => [
      status,
      { description, headers: { 'X-Request-Id': { $ref: '#/components/headers/RequestId' } }, content: PAGE },
    ]),
  );
}

const jsonContent = (content: Content) => ({ 'application/json': content });
