import type { ErrorRequestHandler } from 'express';
import { Problem } from '@billing/contracts/problem';
import { toProblem } from '@billing/service/to-problem';
import { loggerOf, type GatewayResponse } from './request-context.ts';

/** Sends the error response of a failed request. Express recognizes an error handler by its four parameters. */
export const errorHandler: ErrorRequestHandler = (err: unknown, _request, plainResponse, _next) => {
  const response = plainResponse as GatewayResponse; // the first middleware has filled its locals
  const problem = toProblem(err);
  if (problem.status >= 500) loggerOf(response)[problem.status === 500 ? 'error' : 'warn']({ err }, 'request failed');
  // A response that has begun cannot be replaced; the caller must see that it is incomplete.
  if (response.headersSent) response.destroy();
  else sendProblem(response, problem);
};

/** 404: no route has this path and method. */
export const routeNotFound = () => new Problem('not_found', 'route_not_found', 'No such route.');

function sendProblem(response: GatewayResponse, problem: Problem): void {
  if (problem.retryAfterSeconds !== undefined) response.set('Retry-After', String(problem.retryAfterSeconds));
  if (problem.kind === 'unauthorized') response.set('WWW-Authenticate', 'Bearer');
  response.status(problem.status).json(problem.toBody(response.locals.requestId));
}
