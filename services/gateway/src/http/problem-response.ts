import type { ErrorRequestHandler } from 'express';
import { changedMeanwhile, invalid, Problem, unavailable } from '@billing/contracts/problem';
import { isDatabaseUnavailable } from '@billing/database/database';
import { isWriteConflict } from '@billing/database/transaction';
import type { GatewayResponse } from './request-context.ts';

/** Sends the error response of a failed request. Express recognizes an error handler by its four parameters. */
export const errorHandler: ErrorRequestHandler = (err: unknown, _request, plainResponse, _next) => {
  const response = plainResponse as GatewayResponse; // the first middleware has filled its locals
  const problem = toProblem(err);
  const { logger } = response.locals;
  if (problem.status >= 500) logger[problem.status === 500 ? 'error' : 'warn']({ err }, 'request failed');
  // A response that has begun cannot be replaced; the caller must see that it is incomplete.
  if (response.headersSent) response.destroy();
  else sendProblem(response, problem);
};

/** 404: no route has this path and method. */
export const routeNotFound = () => new Problem('not_found', 'route_not_found', 'No such route.');

/** Returns the problem behind an error: the caller's mistake, a dependency that is down, or else a bug. */
export function toProblem(err: unknown): Problem {
  if (err instanceof Problem) return err;
  if (isDatabaseUnavailable(err)) return unavailable('The database is not reachable at the moment.', 2, { cause: err });
  if (isWriteConflict(err)) return changedMeanwhile({ cause: err });
  // Express rejects what it cannot decode.
  if (err instanceof Error && 'status' in err && err.status === 400)
    return invalid([{ path: '', message: 'The request is not well-formed.' }]);
  return new Problem('internal', 'internal', 'Something went wrong on our side.', { cause: err });
}

function sendProblem(response: GatewayResponse, problem: Problem): void {
  if (problem.retryAfterSeconds !== undefined) response.set('Retry-After', String(problem.retryAfterSeconds));
  if (problem.kind === 'unauthorized') response.set('WWW-Authenticate', 'Bearer');
  response.status(problem.status).json(problem.toBody(response.locals.requestId));
}
