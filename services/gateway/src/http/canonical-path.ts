import { canonicalTarget } from '#domain/public-path.ts';
import type { Step } from './exchange.ts';

/** Puts the one spelling of the path in place of what was sent, before any route looks at it. */
export const canonicalPath: Step = (request, _reply, next) => {
  const target = request.url;
  // What is refused may hide a token where the log would not look for one.
  request.url = '/(refused)';
  request.url = canonicalTarget(target);
  next();
};
