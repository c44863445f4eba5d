import { changedMeanwhile, invalid, Problem, unavailable, type FieldError } from '@billing/contracts/problem';
import { isDatabaseUnavailable, isStatementTimeout } from '@billing/database/database';
import { isWriteConflict } from '@billing/database/transaction';
import type { z } from 'zod';

/** Returns the problem behind an error: a mistake of the caller, an unavailable dependency, or else an internal error. */
export function toProblem(err: unknown): Problem {
  if (err instanceof Problem) return err;
  if (isDatabaseUnavailable(err)) return unavailable('The database is not reachable at the moment.', 2, { cause: err });
  if (isStatementTimeout(err))
    return unavailable('The request took too long; ask for less, or try again later.', 5, { cause: err });
  if (isWriteConflict(err)) return changedMeanwhile({ cause: err });
  const status = refusalOf(err);
  if (status === 413) return new Problem('payload_too_large', 'payload_too_large', 'The body is larger than 1 MiB.');
  if (status === 415)
    return new Problem('unsupported_media_type', 'unsupported_media_type', 'Send the body as application/json.');
  if (status >= 400 && status < 500) return invalid([{ path: '', message: 'The request is not well-formed.' }]);
  return new Problem('internal', 'internal', 'Something went wrong on our side.', { cause: err });
}

/** Returns the status with which Fastify or Express refuses what it cannot read; 0 for other errors. */
function refusalOf(err: unknown): number {
  if (!(err instanceof Error)) return 0;
  const status = 'statusCode' in err ? err.statusCode : 'status' in err ? err.status : 0;
  return typeof status === 'number' ? status : 0;
}

/** Returns every invalid or unknown field with its path (`unitAmount`, `items.0.price`) and a message that people can read. */
export function fieldErrors(error: z.ZodError): FieldError[] {
  const at = (path: readonly PropertyKey[]) => path.map(String).join('.');
  const empty = new Set(error.issues.filter(isEmptyText).map(issue => at(issue.path)));
  return error.issues.flatMap(issue => {
    if (issue.code === 'unrecognized_keys')
      return issue.keys.map(key => ({ path: at([...issue.path, key]), message: 'Unknown field.' }));
    // What else an empty text is not, nobody needs to know.
    if (empty.has(at(issue.path)) && !isEmptyText(issue)) return [];
    return [{ path: at(issue.path), message: messageOf(issue) }];
  });
}

const isEmptyText = (issue: z.core.$ZodIssue): boolean =>
  issue.code === 'too_small' && issue.origin === 'string' && issue.minimum === 1;

/** Says of a limit what is allowed, where its schema has no words of its own. */
function messageOf(issue: z.core.$ZodIssue): string {
  if ((issue.code !== 'too_small' && issue.code !== 'too_big') || !issue.message.startsWith('Too '))
    return issue.message;
  if (isEmptyText(issue)) return 'Must not be empty.';
  const limit = Number(issue.code === 'too_small' ? issue.minimum : issue.maximum);
  const bound = issue.code === 'too_small' ? ['More than', 'At least'] : ['Less than', 'At most'];
  const unit = UNITS[issue.origin]?.[limit === 1 ? 0 : 1] ?? '';
  return `${bound[issue.inclusive ? 1 : 0]} ${limit}${unit && ` ${unit}`}.`;
}

const UNITS: Readonly<Record<string, readonly [one: string, many: string]>> = {
  string: ['character', 'characters'],
  array: ['item', 'items'],
};
