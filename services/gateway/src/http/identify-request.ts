import type { Logger } from 'pino';
import type { Principal } from '@billing/service/identity-token';
import { templatedPath } from '@billing/service/templated-path';
import { requestIdFrom } from '#domain/request-id.ts';
import type { Step } from './exchange.ts';

/** What every answer says unless a service says otherwise: nothing here is for a cache or to be guessed at. */
export const EVERY_ANSWER = { 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' } as const;

/** Gives every request its id, its logger and the headers every answer has, and logs how it was answered. */
export function identifyRequest(logger: Logger): Step {
  return (request, reply, next) => {
    const startedAt = performance.now();
    const requestId = requestIdFrom(request.headers['x-request-id']);
    reply.locals.requestId = requestId;
    reply.locals.logger = logger.child({ requestId });
    reply.set({ ...EVERY_ANSWER, 'x-request-id': requestId });
    if (!request.url.startsWith('/health/'))
      reply.once('close', () => {
        const ms = Math.round(performance.now() - startedAt);
        const { method, url } = request;
        const status = reply.writableFinished ? reply.statusCode : 'aborted';
        reply.locals.logger.info(
          { method, path: templatedPath(url), status, ms, ...whoIn(reply.locals.principal) },
          'request answered',
        );
      });
    next();
  };
}

function whoIn(principal: Principal | undefined) {
  if (principal === undefined || principal.kind === 'anonymous') return {};
  const { teamId, projectId } = principal;
  const who = principal.kind === 'api-key' ? { keyId: principal.keyId } : { userId: principal.userId };
  return { ...who, teamId, projectId };
}
