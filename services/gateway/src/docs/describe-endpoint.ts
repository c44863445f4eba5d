import { clientCalls } from '@billing/client/calls';
import { exampleOf } from '@billing/contracts/example';
import { z } from 'zod';
import { createSchema, type oas31, type ZodOpenApiOperationObject, type ZodOpenApiResponsesObject } from 'zod-openapi';
import type { Endpoint } from './endpoint.ts';
import { describeErrors } from './error-responses.ts';
import { etag, idempotentReplayed, rateLimit, requestId } from './headers.ts';
import { showWireFormat } from './wire-format.ts';

const idempotencyKeyParameter = z
  .string()
  .min(1)
  .max(255)
  .regex(/^[\x20-\x7e]{1,255}$/)
  .optional()
  .meta({
    param: {
      id: 'IdempotencyKey',
      name: 'Idempotency-Key',
      in: 'header',
      description:
        'A text that you choose, unique for this request. A repeat with the same key and body within 24 hours gets the stored response.',
      example: '6f1c2a7e-5f0d-4c0b-9f59-1b1f0a4b7f3e',
    },
  });

const requestIdParameter = z
  .string()
  .regex(/^[A-Za-z0-9._-]{1,128}$/)
  .optional()
  .meta({
    param: {
      id: 'RequestId',
      name: 'X-Request-Id',
      in: 'header',
      description: 'An id that you choose for the request; the response, our logs and our traces contain it.',
      example: 'checkout-4711',
    },
  });

const ifNoneMatchParameter = z
  .string()
  .optional()
  .meta({
    param: {
      id: 'IfNoneMatch',
      name: 'If-None-Match',
      in: 'header',
      description: 'The `ETag` of a response that you have: while it is the same, you get 304 without a body.',
      example: '"3q2-7w"',
    },
  });

const CLIENT_CALLS = clientCalls();

/** Describes an endpoint as an operation of the document. */
export function describeEndpoint(endpoint: Endpoint): ZodOpenApiOperationObject {
  const { id, tag, summary, description, security, params, query, body, example, takesIdempotencyKey, isTagged } =
    endpoint;
  return {
    operationId: id,
    // How our client for backends calls it, for whoever shows the document.
    ...(CLIENT_CALLS.has(id) && { 'x-client-call': CLIENT_CALLS.get(id) }),
    tags: [tag],
    summary,
    description,
    security: [...security],
    parameters: [
      ...parametersIn('path', params, exampleOf(params) as object),
      ...(query ? parametersIn('query', query, decodedExample(query, example.query)) : []),
      ...(takesIdempotencyKey ? [idempotencyKeyParameter] : []),
      ...(isTagged ? [ifNoneMatchParameter] : []),
      requestIdParameter,
    ],
    ...(body && {
      requestBody: {
        required: !body.safeParse(undefined).success,
        content: { 'application/json': { schema: body, example: example.body } },
      },
    }),
    responses: { ...describeSuccess(endpoint), ...errorPages(endpoint), ...describeErrors(endpoint.errors) },
  };
}

/**
 * Describes the parameters of an object of texts by their decoded values: 20 for `20`, true for `true`. What is an object when
 * it is decoded is opaque to callers, and shown as its text.
 */
function parametersIn(place: 'path' | 'query', parameters: z.ZodType, examples: object): oas31.ParameterObject[] {
  const propertiesIn = (io: 'input' | 'output') =>
    createSchema(parameters, { io, opts: { override: showWireFormat } }).schema as oas31.SchemaObject; // it has no id
  const { required = [], properties: texts = {} } = propertiesIn('input');
  const { properties = {} } = propertiesIn('output');
  return Object.entries(properties).map(([name, decoded]) => {
    const { description, ...schema } = ('properties' in decoded && texts[name]) || decoded;
    return {
      name,
      in: place,
      required: required.includes(name),
      ...(description !== undefined && { description }),
      schema,
      // The values of a list are in one text, with commas between them.
      ...('items' in schema && { explode: false }),
      ...(name in examples && { example: examples[name as keyof typeof examples] }),
    };
  });
}

/** An example of a query shows decoded values, and only those that it names. */
function decodedExample(query: z.ZodType, texts: unknown = {}): object {
  const values = Object.entries(query.parse(texts) as object);
  return Object.fromEntries(values.filter(([name]) => name in (texts as object)));
}

const DESCRIPTIONS = { 200: 'Done.', 201: 'Created.', 202: 'Accepted.' } as const;
const PAGE = { 'text/html': { schema: { type: 'string' } } } as const;

function describeSuccess(endpoint: Endpoint): ZodOpenApiResponsesObject {
  const { takesIdempotencyKey, isTagged, security, errors, response, status, otherStatus, example } = endpoint;
  // A forger of webhooks must not see how busy a team is.
  const showsRateLimit = errors.includes('rate_limited') && !security.some(it => 'webhookSignature' in it);
  const headers = z.object({
    ...requestId,
    ...(showsRateLimit && rateLimit),
    ...(takesIdempotencyKey && idempotentReplayed),
    ...(isTagged && etag),
  });
  const content = response === 'page' ? PAGE : { 'application/json': { schema: response, example: example.response } };
  return {
    ...(isTagged && { 304: { description: 'Unchanged.', headers } }),
    [`${status}`]: { description: DESCRIPTIONS[status], headers, content },
    ...(otherStatus && { [`${otherStatus}`]: { description: DESCRIPTIONS[otherStatus], headers, content } }),
  };
}

/** Errors of a page are pages too. */
function errorPages({ response }: Endpoint): ZodOpenApiResponsesObject {
  if (response !== 'page') return {};
  const page = (description: string) => ({ description, headers: z.object(requestId), content: PAGE });
  return { 404: page('The token is unknown, expired or revoked.'), 503: page('Try again in a moment.') };
}
