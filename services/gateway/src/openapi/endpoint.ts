import {
  PROJECT_PATH,
  TEAM_PATH,
  type Access,
  type Operation,
  type OperationExample,
} from '@billing/contracts/operation';
import type { ProblemCode } from '@billing/contracts/openapi/problem-codes';
import { z } from 'zod';
import type { SecurityRequirement } from './openapi.ts';
import { TAGS, type Tag } from './tags.ts';

/** What callers may ask for over HTTP, as the document tells it. */
export interface Endpoint {
  readonly id: string;
  readonly tag: Tag;
  readonly method: Operation['method'];
  /** With `:name` for parameters. */
  readonly path: string;
  readonly summary: string;
  readonly description: string;
  readonly security: readonly SecurityRequirement[];
  readonly params: z.ZodType;
  readonly query?: z.ZodType;
  readonly body?: z.ZodType;
  /** Whether an `Idempotency-Key` makes a repeat safe. */
  readonly takesIdempotencyKey: boolean;
  readonly status: 200 | 201;
  readonly response: z.ZodType | 'page';
  readonly refusals: readonly ProblemCode[];
  readonly example: OperationExample;
}

/** What the processor posts, as far as it must be so. Stripe: https://docs.stripe.com/api/events/object */
const processorEvent = z.looseObject({
  id: z.string(),
  type: z.string(),
  created: z.int(),
  data: z.looseObject({ object: z.looseObject({}) }),
});

/** A declared operation as an endpoint. */
export function endpointOf(operation: Operation): Endpoint {
  const { id, method, path, summary, access, params, query, status, response, example } = operation;
  const body = operation.body ?? (access.kind === 'signature' ? processorEvent : undefined);
  return {
    id,
    tag: tagOf(path),
    method,
    path,
    summary,
    description: whoMayCall(access),
    security: securityOf(access),
    params,
    ...(query && { query }),
    ...(body && { body }),
    takesIdempotencyKey: takesIdempotencyKey(operation),
    status,
    response,
    refusals: [...new Set([...generalRefusals(operation), ...operation.problems])],
    example,
  };
}

/** The processor repeats by event id, a customer's press of a button is meant each time. */
function takesIdempotencyKey({ method, access: { kind } }: Operation): boolean {
  return method === 'POST' && kind !== 'signature' && kind !== 'portal-token';
}

/** What follows from the access, the method and the path. */
function generalRefusals(operation: Operation): ProblemCode[] {
  const { path, access } = operation;
  const isIdentified = access.kind !== 'portal-token' && access.kind !== 'signature';
  // A body is held to the rules of bodies even where none is asked for.
  const codes: ProblemCode[] = [
    'internal',
    'unavailable',
    'validation_error',
    'request_timeout',
    'payload_too_large',
    'unsupported_media_type',
  ];
  if (isIdentified) codes.push('unauthorized', 'forbidden');
  if (isIdentified && path.startsWith(PROJECT_PATH)) codes.push('project_not_found');
  if (takesIdempotencyKey(operation)) codes.push('idempotency_key_in_use', 'idempotency_key_reused');
  if (access.kind !== 'signature') codes.push('rate_limited');
  return codes;
}

function securityOf(access: Access): SecurityRequirement[] {
  switch (access.kind) {
    case 'project':
      return [{ apiKey: [access.scope] }, { session: [] }];
    case 'project-session':
    case 'team':
    case 'session':
      return [{ session: [] }];
    case 'signature':
      return [{ webhookSignature: [] }];
    // OpenAPI has no security scheme that stands in a path.
    case 'portal-token':
      return [];
    default:
      return access satisfies never;
  }
}

function whoMayCall(access: Access): string {
  switch (access.kind) {
    case 'project':
      return `For an API key with the scope \`${access.scope}\`, or a signed-in member of the team.`;
    case 'project-session':
      return 'For a signed-in member of the team; an API key is refused.';
    case 'team':
      return `For a signed-in ${access.role === 'owner' ? 'owner' : 'member'} of the team; an API key is refused.`;
    case 'session':
      return 'For whoever is signed in; an API key is refused.';
    case 'portal-token':
      return 'For whoever holds the portal token in the path; nothing else is asked for.';
    case 'signature':
      return 'For the payment processor, which signs the body.';
    default:
      return access satisfies never;
  }
}

/** By the resource that the path names. */
function tagOf(path: string): Tag {
  const prefix = [`${PROJECT_PATH}/`, `${TEAM_PATH}/`, '/api/service/', '/api/'].find(it => path.startsWith(it)) ?? '/';
  const [resource = ''] = path.slice(prefix.length).split('/');
  const tag = TAGS.find(({ resources }) => (resources as readonly string[]).includes(resource));
  if (!tag) throw new Error(`The documentation has no place for ${path}: add "${resource}" to a tag.`);
  return tag.name;
}
