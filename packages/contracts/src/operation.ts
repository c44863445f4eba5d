import type { z } from 'zod';
import type { ProblemCode } from './problem-codes.ts';
import type { AuditTargetType } from './resources/audit-entry.ts';
import type { Scope } from './scopes.ts';

export const SERVICES = [
  'gateway',
  'catalog',
  'customers',
  'subscriptions',
  'referrals',
  'analytics',
  'webhooks',
  'portal',
] as const;
export type ServiceName = (typeof SERVICES)[number];

/**
 * Who may call an operation:
 * - `project`: an API key of the project with all of `scopes`, or a signed-in member of the team
 * - `project-session`: a signed-in member of the team; an API key is refused
 * - `team`: a signed-in member of the team with at least `role`
 * - `session`: anyone signed in
 * - `portal-token`: the holder of the token in the path, which the portal checks
 * - `signature`: the signer of the body, which the webhooks service checks
 *
 * With `fresh`, a member whose password was checked in this session within 15 minutes: always, or only when the request
 * removes an owner.
 */
export type Access =
  | { readonly kind: 'project'; readonly scopes: readonly [Scope, ...Scope[]] }
  | { readonly kind: 'project-session'; readonly fresh?: 'always' }
  | { readonly kind: 'team'; readonly role: 'member' | 'owner'; readonly fresh?: 'always' | 'for-owners' }
  | { readonly kind: 'session' }
  | { readonly kind: 'portal-token' }
  | { readonly kind: 'signature' };

/** A request and its response as JSON, for the API reference. */
export interface OperationExample {
  readonly query?: unknown;
  readonly body?: unknown;
  readonly response: unknown;
}

/** One endpoint, declared once: the gateway routes and authorizes by it, a service serves it, OpenAPI is generated from it. */
export interface Operation {
  readonly id: string;
  readonly service: ServiceName;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** The public path, with `:name` for parameters. */
  readonly path: `/${string}`;
  readonly access: Access;
  readonly summary: string;
  readonly params: z.ZodType;
  readonly query?: z.ZodType;
  readonly body?: z.ZodType;
  /** Status of a success; `response` is its shape. */
  readonly status: 200 | 201 | 202;
  /** Another status of a success with the same shape of response. */
  readonly otherStatus?: 202;
  readonly response: z.ZodType;
  /**
   * Set when refused requests leave an entry in the team's audit log: what they were about, and the parameter of the path
   * with its id. Requests that succeed always do, unless they only read.
   */
  readonly refusals?: { readonly target: AuditTargetType; readonly param?: string };
  /** A rate limit in addition to the one per API key; that of `state-reads` counts for API keys instead of the others. */
  readonly rateLimit?: 'session-creation' | 'state-reads';
  /** Whether a response has an `ETag`: who sends it as `If-None-Match` gets 304 for as long as the response would be the same. */
  readonly isTagged?: true;
  /** A response may take long on purpose: the gateway has connections of their own for these. */
  readonly waits?: true;
  /** The problem codes of this operation, besides those that follow from its access, method and path. */
  readonly problems: readonly ProblemCode[];
  readonly example: OperationExample;
}

/** `{base_url}/api/service/teams/{teamId}` */
export const TEAM_PATH = '/api/service/teams/:teamId';
/** `P` of the specification: `{base_url}/api/service/teams/{teamId}/projects/{projectId}` */
export const PROJECT_PATH = '/api/service/teams/:teamId/projects/:projectId';

/** Access to a project's resources by API key with all of these scopes, or by session. */
export const projectAccess = (...scopes: readonly [Scope, ...Scope[]]): Access => ({ kind: 'project', scopes });
