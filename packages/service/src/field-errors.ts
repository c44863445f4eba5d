import type { z } from 'zod';
import type { FieldError } from '@billing/contracts/problem';

/** Returns every invalid or unknown field with its path (`unitAmount`, `items.0.price`) and a message. */
export function fieldErrors(error: z.ZodError): FieldError[] {
  return error.issues.flatMap(issue => {
    const at = (path: readonly PropertyKey[]) => path.map(String).join('.');
    return issue.code === 'unrecognized_keys'
      ? issue.keys.map(key => ({ path: at([...issue.path, key]), message: 'Unknown field.' }))
      : [{ path: at(issue.path), message: issue.message }];
  });
}
