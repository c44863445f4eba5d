import type { Operation } from '@billing/contracts/operation';
import { createDocument, type ZodOpenApiPathsObject } from 'zod-openapi';
import { describeEndpoint } from './describe-endpoint.ts';
import { describeWebhooks } from './describe-webhooks.ts';
import { toEndpoint, type Endpoint } from './endpoint.ts';
import { passwordEndpoints } from './password-endpoints.ts';
import { portalEndpoint } from './portal-endpoint.ts';
import { signInEndpoints } from './sign-in-endpoints.ts';
import { TAG_GROUPS, TAGS } from './tags.ts';
import { showWireFormat } from './wire-format.ts';

export type ApiDocument = ReturnType<typeof createDocument>;

export interface ApiDescription {
  readonly operations: readonly Operation[];
  readonly publicUrl: string;
  /** The name of the session cookie. */
  readonly sessionCookie: string;
}

const DESCRIPTION = `Customers, products, prices, checkout, subscriptions, portal, analytics and referrals over Stripe.

Your backend authenticates with an API key of a project, sent as \`Authorization: Bearer …\`. A key has scopes, and each grants exactly its own name: \`products:write\` does not include \`products:read\`. People authenticate with the session cookie of a sign-in. The customer portal is authenticated by the token in its path, and the webhook receiver by the signature of the body.

Timestamps are ISO 8601 in UTC. Amounts are whole numbers of the currency’s smallest unit: 2999 is 29.99 USD. Unknown fields in a body or a query are rejected.

Lists are newest first, but events oldest first. \`pagination.nextCursor\` of a page (\`nextCursor\` of deliveries and events), sent as \`cursor\`, selects the next one; \`limit\` its size. \`offset\` skips items, at most 100,000.

Every change in a project is an event. Events are posted to your endpoints, signed as Standard Webhooks are: at least once, with the same \`webhook-id\`, and those of one object in the order of \`object.sequence\` unless one failed three times. Respond with a 2xx within 15 seconds; an event is tried 10 times in about 76 hours. \`GET …/events\` returns the same events in the order of \`position\`, each once: go on with \`nextCursor\`, and wait for what is new with \`waitMs\`.

Every error response has the body \`{ "error": { "code", "message", "details", "requestId" } }\`. Resources of another project are reported as not found.

Send an \`Idempotency-Key\` with a POST to repeat it safely: within 24 hours the same key and body get the first response again, with \`Idempotent-Replayed: true\`.

Rate limits per minute are 600 requests for each API key and each user, 2,000 for all credentials of a team, 60 new checkout or portal sessions for each project, 60 requests for each portal link, and 10 sign-ins for each address, unless this installation sets others. \`X-RateLimit-Limit\`, \`X-RateLimit-Remaining\` and \`X-RateLimit-Reset\` describe the limit of which the least is left. Requests over a limit get 429 with \`Retry-After\`.`;

export const INFO = { title: 'Billing API', version: '1', description: DESCRIPTION };

/** Returns every public endpoint: sign-in, the declared operations, and the page of the portal. */
export const endpointsOf = (operations: readonly Operation[]): readonly Endpoint[] => [
  ...signInEndpoints,
  ...passwordEndpoints,
  ...operations.map(toEndpoint),
  portalEndpoint,
];

/** Describes the declared operations, sign-in and the portal's page from the schemas that serve them. */
export function describeApi({ operations, publicUrl, sessionCookie }: ApiDescription): ApiDocument {
  const paths: ZodOpenApiPathsObject = {};
  for (const endpoint of endpointsOf(operations))
    paths[endpoint.path] = { ...paths[endpoint.path], [endpoint.method.toLowerCase()]: describeEndpoint(endpoint) };
  return createDocument(
    {
      openapi: '3.1.1',
      info: INFO,
      servers: [{ url: publicUrl }],
      tags: TAGS.map(({ name, description }) => ({ name, description })),
      'x-tagGroups': TAG_GROUPS,
      paths,
      webhooks: describeWebhooks(),
      components: { securitySchemes: securitySchemes(sessionCookie) },
    },
    { override: showWireFormat },
  );
}

const securitySchemes = (sessionCookie: string) =>
  ({
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
      description: 'Signs the body with the team’s webhook secret: https://docs.stripe.com/webhooks#verify-manually',
    },
  }) as const;
