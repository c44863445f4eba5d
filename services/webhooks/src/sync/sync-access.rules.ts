import { Problem } from '@billing/contracts/problem';
import type { syncCreate } from '@billing/contracts/resources/sync';
import type { z } from 'zod';
import type { SyncFilter } from './sync-decision.rules.ts';

type Wanted = z.output<typeof syncCreate>['filter'];

/**
 * Returns which objects a sync takes. An API key may compare only objects that carry a mark of the tenant's own: an account has
 * those of other projects too.
 * @throws Problem 403
 */
export function filterFor({ metadata, includeUnmarked }: Wanted, isKey: boolean): SyncFilter {
  if (isKey && (Object.keys(metadata).length === 0 || includeUnmarked === true))
    throw new Problem(
      'forbidden',
      'forbidden',
      'A sync of the whole account needs a session. With an API key, filter.metadata must say which objects are the project’s, without includeUnmarked.',
    );
  return { metadata, includeUnmarked: includeUnmarked ?? !isKey };
}

/** Whether a filter says of each object that it takes that it is the project's. */
export const namesObjects = ({ metadata, includeUnmarked }: SyncFilter): boolean =>
  Object.keys(metadata).length > 0 && !includeUnmarked;
