import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { Operation } from '@billing/contracts/operation';
import { forbidden } from '@billing/contracts/problem';
import { toProblem, type HttpServer } from './http.ts';
import { answerOf, idempotencyKeyOf, runOnce } from './idempotency.ts';
import type { Principal } from './identity-token.ts';

type OutputOf<Schema> = Schema extends z.ZodType ? z.output<Schema> : undefined;

/** One request of an operation: what was asked, by whom. */
export interface Call<Served extends Operation> {
  readonly params: z.output<Served['params']>;
  readonly query: OutputOf<Served['query']>;
  readonly body: OutputOf<Served['body']>;
  readonly principal: Principal;
  readonly request: FastifyRequest;
  /** For headers of the answer. */
  readonly reply: FastifyReply;
  /** Set for a request with an `Idempotency-Key`, and the same when it is run again after a crash. */
  readonly operationKey: string | undefined;
}

/** Serves a declared operation: its schemas guard what comes in and goes out, `handle` gets and gives parsed values. */
export function serve<Served extends Operation>(
  app: HttpServer,
  operation: Served,
  handle: (call: Call<Served>) => Promise<z.output<Served['response']>>,
): void {
  const { method, path, params, query, body, status, response } = operation;
  app.route({
    method,
    url: path,
    schema: { params, ...(query && { querystring: query }), ...(body && { body }), response: { [status]: response } },
    preHandler: async request => requireTenant(operation, request.params as TenantParams, request.principal),
    handler: async (request, reply) => {
      const answer = (operationKey?: string) =>
        handle({
          params: request.params,
          query: query ? request.query : undefined,
          body: body ? request.body : undefined,
          principal: request.principal,
          request,
          reply,
          operationKey,
        } as Call<Served>); // the schemas above have parsed params, query and body into exactly these types
      const key = method === 'POST' ? idempotencyKeyOf(request.headers['idempotency-key']) : undefined;
      const owner = ownerOf(operation, request);
      if (key === undefined || owner === undefined || !app.idempotency) return reply.code(status).send(await answer());

      const call = { owner, key, method, path: request.url.split('?', 1)[0] ?? '', body: request.body };
      const { replayed, ...stored } = await runOnce(app.idempotency, call, async operationKey => {
        try {
          return { status, body: JSON.stringify(response.encode(await answer(operationKey))) };
        } catch (err) {
          const problem = toProblem(err instanceof Error ? err : new Error(String(err)));
          if (problem.isTransient) throw err;
          return answerOf(problem, request.id);
        }
      });
      if (replayed) reply.header('idempotent-replayed', 'true');
      return reply.code(stored.status).type('application/json').send(stored.body);
    },
  });
}

/** Whose an `Idempotency-Key` is: the project's, else the team's, else the user's. */
function ownerOf({ access }: Operation, { params, principal }: FastifyRequest): string | undefined {
  if (access.kind === 'signature' || access.kind === 'portal-token') return undefined;
  const { projectId, teamId } = params as TenantParams; // parsed by the operation's schema
  return projectId ?? teamId ?? (principal.kind === 'user' ? principal.userId : undefined);
}

interface TenantParams {
  readonly teamId?: string;
  readonly projectId?: string;
}

/** The statement must cover the operation, the team and the project in the path: a second wall behind the gateway's. */
function requireTenant({ access }: Operation, params: TenantParams, principal: Principal): void {
  if (access.kind === 'signature' || access.kind === 'portal-token') return;
  if (principal.kind === 'anonymous') throw forbidden();
  if (access.kind !== 'project' && principal.kind !== 'user') throw forbidden();
  if (access.kind === 'session') return;
  if (principal.teamId !== params.teamId) throw forbidden();
  if (access.kind !== 'team' && principal.projectId !== params.projectId) throw forbidden();
  if (access.kind === 'team' && access.role === 'owner' && principal.kind === 'user' && principal.role !== 'owner')
    throw forbidden();
  if (access.kind === 'project' && principal.kind === 'api-key' && !principal.scopes.includes(access.scope))
    throw forbidden(access.scope);
}
