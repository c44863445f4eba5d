import type { FastifyContextConfig, FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { Operation } from '@billing/contracts/operation';
import { forbidden } from '@billing/contracts/problem';
import type { AuditContext } from '@billing/contracts/resources/audit-entry';
import { missingScope } from '@billing/contracts/scopes';
import { auditOf } from './audit.ts';
import type { HttpServer } from './http.ts';
import { idempotencyKeyOf, respondOnce } from './idempotency.ts';
import type { Principal } from './identity-token.ts';
import type { PlaceKind } from './request-places.ts';
import { pathOf } from './templated-path.ts';

type OutputOf<Schema> = Schema extends z.ZodType ? z.output<Schema> : undefined;

/** One request of an operation, with parsed values. */
export interface Call<Served extends Operation> {
  readonly params: z.output<Served['params']>;
  readonly query: OutputOf<Served['query']>;
  readonly body: OutputOf<Served['body']>;
  readonly principal: Principal;
  /** Who calls, for the audit log. */
  readonly audit: AuditContext;
  readonly request: FastifyRequest;
  /** Sets headers of the response, and the operation's other status where it has one. */
  readonly reply: FastifyReply;
  /** Set for a request with an `Idempotency-Key`; a run after a crash gets the same key. */
  readonly operationKey: string | undefined;
}

interface ServeOptions<Served extends Operation> {
  /**
   * Whether responses to requests with an `Idempotency-Key` are stored; true unless given. False for those with a secret: a
   * repeat then runs `handle` again under the same operation key, for which it has to return the same.
   */
  readonly storesResponse?: boolean;
  /**
   * Returns the owner of an `Idempotency-Key` where the path names no team.
   * @throws Problem when the caller has no access
   */
  readonly ownerOf?: (params: z.output<Served['params']>) => Promise<string>;
  /**
   * Which place of the team a request takes, unless that follows from its method. Null for one that waits: whoever serves it
   * limits how many wait, and reads with `TeamReads`.
   */
  readonly placeOf?: (query: OutputOf<Served['query']>) => PlaceKind | null;
  /** For responses that callers may keep. */
  readonly caching?: {
    /** Returns the strong tag of a response: a caller that has it already gets 304. */
    readonly tagOf: (response: z.output<Served['response']>) => string;
    /** What a caller may do with a response. */
    readonly cacheControl: string;
  };
}

/**
 * Serves a declared operation. Its schemas parse the request and encode the response, its access rules are checked, and
 * POST requests with an `Idempotency-Key` run once.
 */
export function serve<Served extends Operation>(
  app: HttpServer,
  operation: Served,
  handle: (call: Call<Served>) => Promise<z.output<Served['response']>>,
  { storesResponse = true, ownerOf, placeOf, caching }: ServeOptions<Served> = {},
): void {
  const { method, path, params, query, body, status, otherStatus, response } = operation;
  const responses = { [status]: response, [otherStatus ?? status]: response };
  app.route({
    method,
    url: path,
    schema: { params, ...(query && { querystring: query }), ...(body && { body }), response: responses },
    config: { placeOf: placeOf as FastifyContextConfig['placeOf'] }, // the query is parsed by the schema above
    preHandler: async request => requireTenant(operation, request.params as TenantParams, request.principal),
    handler: async (request, reply) => {
      const respond = (operationKey?: string) =>
        handle({
          params: request.params,
          query: query ? request.query : undefined,
          body: body ? request.body : undefined,
          principal: request.principal,
          audit: auditOf(request, operation, operationKey),
          request,
          reply,
          operationKey,
        } as Call<Served>); // the schemas above have parsed params, query and body into exactly these types
      const chosenStatus = () => (reply.statusCode === otherStatus ? otherStatus : status);
      if (caching) {
        const found = await respond();
        const tag = caching.tagOf(found);
        reply.header('etag', tag).header('cache-control', caching.cacheControl);
        if (hasTag(request.headers['if-none-match'], tag)) return reply.code(304).send();
        return reply.code(status).send(found);
      }
      const key = method === 'POST' ? idempotencyKeyOf(request.headers['idempotency-key']) : undefined;
      const send = (sent: z.output<Served['response']>) => reply.code(chosenStatus()).send(sent);
      if (key === undefined || !app.idempotency) return send(await respond());
      // The route's schema has parsed the parameters.
      const owner = ownerOf ? await ownerOf(request.params as z.output<Served['params']>) : ownerIn(operation, request);
      if (owner === undefined) return send(await respond());

      const call = { owner, key, method, path: pathOf(request.url), body: request.body };
      let fresh: z.output<Served['response']> | undefined;
      const { replayed, ...stored } = await respondOnce(app.idempotency, call, request.id, async operationKey => {
        fresh = await respond(operationKey);
        return { status: chosenStatus(), body: storesResponse ? JSON.stringify(response.encode(fresh)) : operationKey };
      });
      if (replayed) reply.header('idempotent-replayed', 'true');
      if (!storesResponse && stored.status === status)
        return reply.code(status).send(fresh ?? (await respond(stored.body)));
      return reply.code(stored.status).type('application/json').send(stored.body);
    },
  });
}

/** RFC 9110, section 13.1.2: a list of tags, weak ones too, or `*`. */
const hasTag = (ifNoneMatch: string | undefined, tag: string): boolean =>
  (ifNoneMatch ?? '').split(',').some(one => ['*', tag].includes(one.trim().replace(/^W\//, '')));

/** Returns the owner of an `Idempotency-Key`: the project, else the team, else the user. */
function ownerIn({ access }: Operation, { params, principal }: FastifyRequest): string | undefined {
  if (access.kind === 'signature' || access.kind === 'portal-token') return undefined;
  const { projectId, teamId } = params as TenantParams; // parsed by the operation's schema
  return projectId ?? teamId ?? (principal.kind === 'user' ? principal.userId : undefined);
}

interface TenantParams {
  readonly teamId?: string;
  readonly projectId?: string;
}

/** Checks that the token covers the operation and the team and project in the path: defence in depth behind the gateway. */
function requireTenant({ access }: Operation, params: TenantParams, principal: Principal): void {
  if (access.kind === 'signature' || access.kind === 'portal-token') return;
  if (principal.kind === 'anonymous') throw forbidden();
  if (access.kind !== 'project' && principal.kind !== 'user') throw forbidden();
  if (access.kind === 'session') return;
  if (principal.teamId !== params.teamId) throw forbidden();
  if (access.kind !== 'team' && principal.projectId !== params.projectId) throw forbidden();
  if (access.kind === 'team' && access.role === 'owner' && principal.kind === 'user' && principal.role !== 'owner')
    throw forbidden();
  if (access.kind !== 'project' || principal.kind !== 'api-key') return;
  const missing = missingScope(access.scopes, principal.scopes);
  if (missing) throw forbidden(missing);
}
