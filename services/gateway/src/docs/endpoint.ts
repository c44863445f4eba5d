import {
  PROJECT_PATH,
  TEAM_PATH,
  type Access,
  type Operation,
  type OperationExample,
} from '@billing/contracts/operation';
import type { ProblemCode } from '@billing/contracts/problem-codes';
import type { Scope } from '@billing/contracts/scopes';
import { z } from 'zod';
import { TAGS, type Section, type Tag } from './tags.ts';

/** Names of security schemes, each with the scopes it must grant. */
type SecurityRequirement = Record<string, string[]>;

/** A public HTTP endpoint, as the document describes it. */
export interface Endpoint {
  readonly id: string;
  readonly tag: Tag;
  readonly method: Operation['method'];
  /** With `{name}` for a parameter. */
  readonly path: string;
  readonly summary: string;
  readonly description: string;
  readonly security: readonly SecurityRequirement[];
  readonly params: z.ZodType;
  readonly query?: z.ZodType;
  readonly body?: z.ZodType;
  /** Whether it accepts an `Idempotency-Key`. */
  readonly takesIdempotencyKey: boolean;
  /** Whether a response has an `ETag`. */
  readonly isTagged: boolean;
  readonly status: 200 | 201 | 202;
  readonly otherStatus?: 202;
  readonly response: z.ZodType | 'page';
  readonly errors: readonly ProblemCode[];
  readonly example: OperationExample;
}

/** The required part of a webhook's body. Stripe: https://docs.stripe.com/api/events/object */
const webhookEvent = z.looseObject({
  id: z.string(),
  type: z.string(),
  created: z.int(),
  data: z.looseObject({ object: z.looseObject({}) }),
});

/** Converts a declared operation. */
export function toEndpoint(operation: Operation): Endpoint {
  const { id, method, path, summary, access, params, query, response, example, isTagged = false } = operation;
  const { status, otherStatus } = operation;
  const body = operation.body ?? (access.kind === 'signature' ? webhookEvent : undefined);
  return {
    id,
    tag: tagOf(path),
    method,
    path: path.replaceAll(/:(\w+)/g, '{$1}'),
    summary,
    ...describeAccess(access),
    params,
    ...(query && { query }),
    ...(body && { body }),
    takesIdempotencyKey: takesIdempotencyKey(operation),
    isTagged,
    status,
    ...(otherStatus && { otherStatus }),
    response,
    errors: [...new Set([...impliedErrors(operation), ...operation.problems])],
    example,
  };
}

/** Stripe's webhooks are deduplicated by event id. */
function takesIdempotencyKey({ method, access: { kind } }: Operation): boolean {
  return method === 'POST' && kind !== 'signature';
}

/** The errors that follow from the access, the method and the path. */
function impliedErrors(operation: Operation): ProblemCode[] {
  const { method, path, access } = operation;
  const isAuthenticated = access.kind !== 'portal-token' && access.kind !== 'signature';
  // An unexpected body is checked as well.
  const codes: ProblemCode[] = [
    'internal',
    'unavailable',
    'validation_error',
    'request_timeout',
    'payload_too_large',
    'unsupported_media_type',
    'rate_limited',
  ];
  if (isAuthenticated) codes.push('unauthorized', 'forbidden');
  if (access.kind === 'project') codes.push('test_key_on_live_account');
  if ('fresh' in access) codes.push('reauthentication_required');
  if (isAuthenticated && path.startsWith(PROJECT_PATH)) codes.push('project_not_found');
  if (takesIdempotencyKey(operation)) codes.push('idempotency_key_in_use', 'idempotency_key_reused');
  if (method !== 'GET' && access.kind !== 'signature') codes.push('conflict');
  return codes;
}

const FRESHNESS = {
  always: ' The password must have been checked in this session within 15 minutes.',
  'for-owners': ' If it removes an owner, the password must have been checked in this session within 15 minutes.',
  never: '',
} as const;

function inWords(scopes: readonly Scope[]): string {
  const names = scopes.map(scope => `\`${scope}\``);
  return names.length === 1 ? `the scope ${names.join('')}` : `all of the scopes ${names.join(', ')}`;
}

const SESSION: readonly SecurityRequirement[] = [{ session: [] }];

/** Returns what a caller needs, for machines and in words. */
function describeAccess(access: Access): Pick<Endpoint, 'security' | 'description'> {
  switch (access.kind) {
    case 'project':
      return {
        security: [{ apiKey: [...access.scopes] }, ...SESSION],
        description: `Needs an API key with ${inWords(access.scopes)}, or the session of a team member.`,
      };
    case 'project-session':
      return {
        security: SESSION,
        description: `Needs the session of a team member; API keys are rejected.${FRESHNESS[access.fresh ?? 'never']}`,
      };
    case 'team': {
      const freshness = FRESHNESS[access.fresh ?? 'never'];
      const description = `Needs the session of a team ${access.role}; API keys are rejected.${freshness}`;
      return { security: SESSION, description };
    }
    case 'session':
      return { security: SESSION, description: 'Needs a session; API keys are rejected.' };
    // OpenAPI has no security scheme for a path parameter.
    case 'portal-token':
      return { security: [], description: 'Needs only the portal token in the path.' };
    case 'signature':
      return {
        security: [{ webhookSignature: [] }],
        description: 'Called by the payment processor, which signs the body.',
      };
    default:
      return access satisfies never;
  }
}

/** Finds the tag by a resource below others', or else by the first resource in the path. */
function tagOf(path: string): Tag {
  const prefix = [`${PROJECT_PATH}/`, `${TEAM_PATH}/`, '/api/service/', '/api/'].find(it => path.startsWith(it)) ?? '/';
  const [resource = '', ...below] = path.slice(prefix.length).split('/');
  const sections: readonly (Section & { readonly name: Tag })[] = TAGS;
  const tag =
    sections.find(({ ofOthers }) => ofOthers?.some(one => below.includes(one))) ??
    sections.find(({ resources }) => resources.includes(resource));
  if (!tag) throw new Error(`No tag has the resource "${resource}" of ${path}; add it to one.`);
  return tag.name;
}
