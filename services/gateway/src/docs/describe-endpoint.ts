import { PATH_PARAMETERS, QUERY_PARAMETERS } from '@billing/contracts/openapi/parameters';
import type { Endpoint } from './endpoint.ts';
import { describeErrors, RATE_LIMIT } from './error-responses.ts';
import type { JsonSchemas } from './json-schemas.ts';
import type { ApiResponse, Content, DescribedOperation, Parameter, Reference } from './openapi-types.ts';

const IDEMPOTENCY_KEY: Reference = { $ref: '#/components/parameters/IdempotencyKey' };
const REQUEST_ID: Reference = { $ref: '#/components/parameters/RequestId' };

/** Describes an endpoint as an operation of the document. */
export function describeEndpoint(endpoint: Endpoint, schemas: JsonSchemas): DescribedOperation {
  const { id, tag, summary, description, security, body, example, takesIdempotencyKey, status, errors } = endpoint;
  return {
    operationId: id,
    tags: [tag],
    summary,
    description,
    security,
    parameters: [
      ...pathParameters(endpoint, schemas),
      ...queryParameters(endpoint, schemas),
      ...(takesIdempotencyKey ? [IDEMPOTENCY_KEY] : []),
      REQUEST_ID,
    ],
    ...(body && {
      requestBody: {
        required: !body.safeParse(undefined).success,
        content: jsonContent({ schema: schemas.wire(body), example: example.body }),
      },
    }),
    responses: { [status]: successResponse(endpoint, schemas), ...errorPages(endpoint), ...describeErrors(errors) },
  };
}

function pathParameters({ params }: Endpoint, schemas: JsonSchemas): Parameter[] {
  return schemas.parameters(params).map(({ name, schema }) => {
    const note = noteOn(PATH_PARAMETERS, name);
    return { name, in: 'path', required: true, description: note.description, schema, example: note.example };
  });
}

/** An example shows decoded values: the query's schema parses its texts. */
function queryParameters({ query, example }: Endpoint, schemas: JsonSchemas): Parameter[] {
  if (!query) return [];
  const texts: object = example.query ?? {};
  const values = Object.entries(query.parse(texts) as Record<string, Value>); // query parameters decode to these types only
  const examples = new Map(values.filter(([name]) => name in texts));
  return schemas.parameters(query).map(({ name, required, schema }) => ({
    name,
    in: 'query',
    required,
    description: noteOn(QUERY_PARAMETERS, name),
    schema,
    ...withExample(examples.get(name)),
  }));
}

type Value = string | number | boolean;

const withExample = (example: Value | undefined) => (example === undefined ? {} : { example });

function noteOn<Note>(notes: Readonly<Record<string, Note>>, name: string): Note {
  const note = notes[name];
  if (note === undefined) throw new Error(`The parameter ${name} has no description.`);
  return note;
}

const DESCRIPTIONS = { 200: 'Done.', 201: 'Created.', 202: 'Accepted.' } as const;

function successResponse(
  { takesIdempotencyKey, security, errors, response, status, example }: Endpoint,
  schemas: JsonSchemas,
): ApiResponse {
  // A forger of webhooks must not see how busy a team is.
  const showsRateLimit = errors.includes('rate_limited') && !security.some(it => 'webhookSignature' in it);
  return {
    description: DESCRIPTIONS[status],
    headers: {
      'X-Request-Id': { $ref: '#/components/headers/RequestId' },
      ...(showsRateLimit && RATE_LIMIT),
      ...(takesIdempotencyKey && { 'Idempotent-Replayed': { $ref: '#/components/headers/IdempotentReplayed' } }),
    },
    content: response === 'page' ? PAGE : jsonContent({ schema: schemas.wire(response), example: example.response }),
  };
}

const PAGE: Readonly<Record<string, Content>> = { 'text/html': { schema: { type: 'string' } } };
const ERROR_PAGES = { 404: 'The token is unknown, expired or revoked.', 503: 'Try again in a moment.' };

/** Errors of a page are pages too. */
function errorPages({ response }: Endpoint): Record<string, ApiResponse> {
  if (response !== 'page') return {};
  return Object.fromEntries(
    Object.entries(ERROR_PAGES).map(([status, description]) => [
      status,
      { description, headers: { 'X-Request-Id': { $ref: '#/components/headers/RequestId' } }, content: PAGE },
    ]),
  );
}

const jsonContent = (content: Content) => ({ 'application/json': content });
