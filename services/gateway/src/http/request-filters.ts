import { canonicalTarget } from '#domain/canonical-path.ts';
import { routeNotFound } from './problem-response.ts';
import type { Handler } from './request-context.ts';

/**
 * Replaces the request's path by its canonical form before any route sees it; a malformed one gets 400. OPTIONS gets 404, to
 * which Express would respond itself: other sites have no access, so there is no preflight.
 */
export const filterRequest: Handler = (request, _response, next) => {
  const target = request.url;
  // A rejected target may contain a token where the log does not expect one.
  request.url = '/(rejected)';
  request.url = canonicalTarget(target);
  if (request.method === 'OPTIONS') throw routeNotFound();
  next();
};
