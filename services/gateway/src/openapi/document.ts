import type { Operation } from '@billing/contracts/operation';
import { errorBody } from '@billing/contracts/problem';
import { describeEndpoint } from './describe-endpoint.ts';
import { endpointOf } from './endpoint.ts';
import type { ApiDocument, DescribedOperation } from './openapi.ts';
import { portalEndpoint } from './portal-endpoint.ts';
import { refusalAnswers, refusalExamples } from './refusals.ts';
import { openSchemaBook } from './schema-book.ts';
import { signInEndpoints } from './sign-in-endpoints.ts';
import { TAGS } from './tags.ts';

interface DescribedApi {
  readonly operations: readonly Operation[];
  readonly publicUrl: string;
  /** The cookie that carries a session. */
  readonly cookieName: string;
}

/** Describes the declared operations, sign-in and the portal's page, by the schemas they are served with. */
export function describeApi({ operations, publicUrl, cookieName }: DescribedApi): ApiDocument {
  const book = openSchemaBook();
  book.wire(errorBody);
  const paths: Record<string, Record<string, DescribedOperation>> = {};
  for (const endpoint of [...signInEndpoints, ...operations.map(endpointOf), portalEndpoint]) {
    const path = endpoint.path.replaceAll(/:(\w+)/g, '{$1}');
    (paths[path] ??= {})[endpoint.method.toLowerCase()] = describeEndpoint(endpoint, book);
  }
  return {
    openapi: '3.1.1',
    info: { title: 'Billing API', version: '1', description: DESCRIPTION },
    servers: [{ url: publicUrl }],
    tags: TAGS.map(({ name, description }) => ({ name, description })),
    paths,
    components: {
      schemas: book.components,
      parameters: PARAMETERS,
      headers: HEADERS,
      examples: refusalExamples,
      responses: refusalAnswers,
      securitySchemes: {
        apiKey: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'bil_<test|live>_…',
          description: 'An API key of the project. Each operation names the scope that the key must have.',
        },
        session: { type: 'apiKey', in: 'cookie', name: cookieName, description: 'The cookie of a sign-in.' },
        webhookSignature: {
          type: 'apiKey',
          in: 'header',
          name: 'Stripe-Signature',
          description:
            'A signature of the body with the team’s webhook secret: https://docs.stripe.com/webhooks#verify-manually',
        },
      },
    },
  };
}

const DESCRIPTION = `Customers, products, prices, checkout, subscriptions, portal, analytics and referrals over Stripe.

Your backend authenticates with an API key of a project, sent as \`Authorization: Bearer …\`. A key has scopes, and each grants exactly its own name: \`products:write\` does not include \`products:read\`. People authenticate with the session cookie of a sign-in. The customer portal is authenticated by the token in its path, and the webhook receiver by the signature of the body.

Timestamps are ISO 8601 in UTC. Amounts are whole numbers of the currency’s smallest unit: 2999 is 29.99 USD. Unknown fields in a body or a query are refused.

Lists are newest first. \`limit\` and \`offset\` choose a page, \`pagination\` says what there is.

Every answer that is no success has the body \`{ "error": { "code", "message", "details", "requestId" } }\`. What belongs to another project is answered as if it did not exist.

Send an \`Idempotency-Key\` with a POST to repeat it safely: within 24 hours the same key and body get the first answer again, with \`Idempotent-Replayed: true\`.

At most 600 requests a minute for each API key, 60 a minute for each project that create checkout or portal sessions, and 10 sign-ins a minute for each address, unless this installation sets other limits; beyond that the answer is 429 with \`Retry-After\`.`;

const PARAMETERS: ApiDocument['components']['parameters'] = {
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    required: false,
    description:
      'A text of your own, unique for this request: repeats with the same key and body within 24 hours are answered without being done again.',
    schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[\\x20-\\x7e]{1,255}$' },
    example: '6f1c2a7e-5f0d-4c0b-9f59-1b1f0a4b7f3e',
  },
  RequestId: {
    name: 'X-Request-Id',
    in: 'header',
    required: false,
    description: 'A name of your own for the request; it is answered, and stands in our logs and traces.',
    schema: { type: 'string', pattern: '^[A-Za-z0-9._-]{1,128}$' },
    example: 'checkout-4711',
  },
};

const HEADERS: ApiDocument['components']['headers'] = {
  RequestId: {
    description: 'The request’s name: the one that was sent, or a new one.',
    schema: { type: 'string' },
  },
  RetryAfter: {
    description: 'Whole seconds after which another try makes sense.',
    schema: { type: 'integer', minimum: 1 },
  },
  IdempotentReplayed: {
    description: 'There when this is the stored answer to an earlier request with the same Idempotency-Key.',
    schema: { type: 'string', const: 'true' },
  },
};
