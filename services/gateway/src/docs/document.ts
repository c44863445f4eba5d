import type { Operation } from '@billing/contracts/operation';
import { errorBody } from '@billing/contracts/problem';
import { describeEndpoint } from './describe-endpoint.ts';
import { toEndpoint } from './endpoint.ts';
import { errorExamples, errorResponses } from './error-responses.ts';
import { createJsonSchemas } from './json-schemas.ts';
import type { ApiDocument, DescribedOperation } from './openapi-types.ts';
import { TAGS } from './tags.ts';
import { passwordEndpoints } from './password-endpoints.ts';
import { portalEndpoint } from './portal-endpoint.ts';
import { signInEndpoints } from './sign-in-endpoints.ts';

interface ApiDescription {
  readonly operations: readonly Operation[];
  readonly publicUrl: string;
  /** The name of the session cookie. */
  readonly sessionCookie: string;
}

/** Describes the declared operations, sign-in and the portal's page from the schemas that serve them. */
export function describeApi({ operations, publicUrl, sessionCookie }: ApiDescription): ApiDocument {
  const schemas = createJsonSchemas();
  schemas.wire(errorBody);
  const paths: Record<string, Record<string, DescribedOperation>> = {};
  for (const endpoint of [...signInEndpoints, ...passwordEndpoints, ...operations.map(toEndpoint), portalEndpoint]) {
    const path = endpoint.path.replaceAll(/:(\w+)/g, '{$1}');
    (paths[path] ??= {})[endpoint.method.toLowerCase()] = describeEndpoint(endpoint, schemas);
  }
  return {
    openapi: '3.1.1',
    info: { title: 'Billing API', version: '1', description: DESCRIPTION },
    servers: [{ url: publicUrl }],
    tags: TAGS.map(({ name, description }) => ({ name, description })),
    paths,
    components: {
      schemas: schemas.components,
      parameters: PARAMETERS,
      headers: HEADERS,
      examples: errorExamples,
      responses: errorResponses,
      securitySchemes: {
        apiKey: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'bil_<test|live>_…',
          description: 'An API key of the project. Each operation names the scope that the key must have.',
        },
        session: { type: 'apiKey', in: 'cookie', name: sessionCookie, description: 'The session cookie of a sign-in.' },
        webhookSignature: {
          type: 'apiKey',
          in: 'header',
          name: 'Stripe-Signature',
          description:
            'Signs the body with the team’s webhook secret: https://docs.stripe.com/webhooks#verify-manually',
        },
      },
    },
  };
}

const DESCRIPTION = `Customers, products, prices, checkout, subscriptions, portal, analytics and referrals over Stripe.

Your backend authenticates with an API key of a project, sent as \`Authorization: Bearer …\`. A key has scopes, and each grants exactly its own name: \`products:write\` does not include \`products:read\`. People authenticate with the session cookie of a sign-in. The customer portal is authenticated by the token in its path, and the webhook receiver by the signature of the body.

Timestamps are ISO 8601 in UTC. Amounts are whole numbers of the currency’s smallest unit: 2999 is 29.99 USD. Unknown fields in a body or a query are rejected.

Lists are newest first. \`limit\` and \`offset\` select a page, \`pagination\` describes it.

Every error response has the body \`{ "error": { "code", "message", "details", "requestId" } }\`. Resources of another project are reported as not found.

Send an \`Idempotency-Key\` with a POST to repeat it safely: within 24 hours the same key and body get the first response again, with \`Idempotent-Replayed: true\`.

Rate limits per minute are 600 requests for each API key and each user, 2,000 for all credentials of a team, 60 new checkout or portal sessions for each project, 60 requests for each portal link, and 10 sign-ins for each address, unless this installation sets others. \`X-RateLimit-Limit\`, \`X-RateLimit-Remaining\` and \`X-RateLimit-Reset\` describe the limit of which the least is left. Requests over a limit get 429 with \`Retry-After\`.`;

const PARAMETERS: ApiDocument['components']['parameters'] = {
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    required: false,
    description:
      'A text that you choose, unique for this request. A repeat with the same key and body within 24 hours gets the stored response.',
    schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[\\x20-\\x7e]{1,255}$' },
    example: '6f1c2a7e-5f0d-4c0b-9f59-1b1f0a4b7f3e',
  },
  RequestId: {
    name: 'X-Request-Id',
    in: 'header',
    required: false,
    description: 'An id that you choose for the request; the response, our logs and our traces contain it.',
    schema: { type: 'string', pattern: '^[A-Za-z0-9._-]{1,128}$' },
    example: 'checkout-4711',
  },
};

const HEADERS: ApiDocument['components']['headers'] = {
  RequestId: {
    description: 'The id of the request: the one that was sent, or a new one.',
    schema: { type: 'string' },
  },
  RetryAfter: {
    description: 'Seconds to wait before another try.',
    schema: { type: 'integer', minimum: 1 },
  },
  RateLimitLimit: {
    description: 'Requests that the limit with the least left allows in its window.',
    schema: { type: 'integer', minimum: 1 },
  },
  RateLimitRemaining: {
    description: 'How many of them are left.',
    schema: { type: 'integer', minimum: 0 },
  },
  RateLimitReset: {
    description: 'Seconds until the window ends and all are allowed again.',
    schema: { type: 'integer', minimum: 1 },
  },
  IdempotentReplayed: {
    description: 'Present when this is the stored response of an earlier request with the same Idempotency-Key.',
    schema: { type: 'string', const: 'true' },
  },
};
