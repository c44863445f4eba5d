import type { FastifyPluginAsync } from 'fastify';
import { z } from 'zod';
import { authenticate } from '../api/authentication.ts';
import { invalidRequest } from '../api/errors.ts';
import { errorResponse, send } from '../api/pipeline.ts';
import type { Processor } from '../processor.ts';
import type { Call } from './method.ts';
import { methods } from './methods.ts';

/** The control API: `POST` a method's arguments, a JSON array, to its name, with the same secret key as the API. */
export function controlRoutes(processor: Processor): FastifyPluginAsync {
  return async app => {
    app.addContentTypeParser('application/json', { parseAs: 'string' }, app.getDefaultJsonParser('error', 'error'));
    for (const [name, { args, run }] of Object.entries(methods))
      app.post(`/${name}`, async (request, reply) => {
        try {
          const { account } = authenticate(processor.accounts, request.headers);
          const parsed = args.safeParse(request.body ?? []);
          if (!parsed.success) throw invalidRequest(z.prettifyError(parsed.error));
          const call: Call = { processor, account, run: work => processor.run(account, work) };
          // The arguments are those of this method: its schema has parsed them.
          const result = await (run as (call: Call, ...given: unknown[]) => unknown)(call, ...parsed.data);
          processor.flush();
          return await reply.send(JSON.stringify(result ?? null));
        } catch (error) {
          return send(reply, errorResponse(error, request));
        }
      });
  };
}
