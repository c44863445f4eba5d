import { routeNotFound } from './answer-problem.ts';
import type { Step } from './exchange.ts';

/** Nothing here is for pages of other sites, so there is nothing to ask beforehand; Express would answer by itself. */
export const withoutOptions: Step = (request, _reply, next) => {
  if (request.method === 'OPTIONS') throw routeNotFound();
  next();
};
