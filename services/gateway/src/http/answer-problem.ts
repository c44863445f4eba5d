import type { ErrorRequestHandler } from 'express';
import { invalid, Problem, unavailable } from '@billing/contracts/problem';
import { isDatabaseUnavailable } from '@billing/service/database';
import type { Reply } from './exchange.ts';

/** Answers a problem in the one shape all errors have. */
function answerProblem(reply: Reply, problem: Problem): void {
  if (problem.retryAfterSeconds !== undefined) reply.set('Retry-After', String(problem.retryAfterSeconds));
  if (problem.kind === 'unauthorized') reply.set('WWW-Authenticate', 'Bearer');
  reply.status(problem.status).json(problem.toBody(reply.locals.requestId));
}

/** The last step of every request that failed. Express tells it from other steps by its four parameters. */
export const answerError: ErrorRequestHandler = (err: unknown, _request, response, _next) => {
  const reply = response as Reply; // the first step has filled its locals
  const problem = problemOf(err);
  if (problem.status >= 500) reply.locals.logger[problem.status === 500 ? 'error' : 'warn']({ err }, 'request failed');
  // Half an answer cannot be taken back; the caller shall see that it is not whole.
  if (reply.headersSent) reply.destroy();
  else answerProblem(reply, problem);
};

/** No such route, or none with this verb. */
export const routeNotFound = () => new Problem('not_found', 'route_not_found', 'No such route.');

/** The problem behind an error: what the caller did wrong, what is down, or else our own fault. */
export function problemOf(err: unknown): Problem {
  if (err instanceof Problem) return err;
  if (isDatabaseUnavailable(err)) return unavailable('The database is not reachable at the moment.', 2, { cause: err });
  // Express itself refuses what it cannot decode.
  if (err instanceof Error && 'status' in err && err.status === 400)
    return invalid([{ path: '', message: 'The request is not well-formed.' }]);
  return new Problem('internal', 'internal', 'Something went wrong on our side.', { cause: err });
}
