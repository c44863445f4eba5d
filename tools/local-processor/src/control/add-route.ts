import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { authenticate } from '../api/authentication.ts';
import { ApiError } from '../api/errors.ts';
import { errorResponse, send } from '../api/pipeline.ts';
import type { Processor } from '../processor.ts';
import type { Account } from '../store/account.ts';

/** A request to the control API: the account of its key, its body and the id in its path. */
interface ControlRequest<Body> {
  account: Account;
  body: Body;
  id: string;
}

/** Adds one route to the control API. The body is validated before `handle` is called. */
export type AddRoute = <Schema extends z.ZodType>(
  method: 'GET' | 'POST' | 'PUT' | 'DELETE',
  path: string,
  schema: Schema,
  handle: (request: ControlRequest<z.output<Schema>>) => unknown,
) => void;

/** Registers a route at the control API's server. */
export function addRoute<Schema extends z.ZodType>(
  app: FastifyInstance,
  processor: Processor,
  method: 'GET' | 'POST' | 'PUT' | 'DELETE',
  url: string,
  schema: Schema,
  handle: (request: ControlRequest<z.output<Schema>>) => unknown,
): void {
  app.route({
    method,
    url,
    handler: async (request, reply) => {
      try {
        const { account } = authenticate(processor.accounts, request.headers);
        const body = parsed(schema, method === 'GET' ? { ...(request.query as object) } : (request.body ?? {}));
        const result = await handle({ account, body, id: idOf(request) });
        processor.flush();
        return await reply.send(result ?? {});
      } catch (error) {
        return send(reply, errorResponse(error, request));
      }
    },
  });
}

function parsed<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const result = schema.safeParse(value);
  if (!result.success) throw badRequest(z.prettifyError(result.error));
  return result.data;
}

function idOf(request: FastifyRequest): string {
  const { id } = request.params as { id?: string };
  return id ?? '';
}

/** A request that the control API refuses. */
export function badRequest(message: string): ApiError {
  return new ApiError(400, { type: 'invalid_request_error', message });
}
