import { Problem } from '@billing/contracts/problem';
import type { Scope } from '@billing/contracts/scopes';
import type { syncCreate, SyncKind } from '@billing/contracts/resources/sync';
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

/**
 * Requires the scopes of what a sync compares: the account has customers and subscriptions, a document has none.
 * @param held those of an API key; null of a session, which has all
 * @throws Problem 403
 */
export function requireScopesOf(kind: SyncKind, held: readonly Scope[] | null, verb: 'read' | 'write'): void {
  if (kind === 'catalog' || held === null) return;
  const scopes = [`customers:${verb}`, `subscriptions:${verb}`] as const;
  if (!scopes.every(scope => held.includes(scope)))
    throw new Problem(
      'forbidden',
      'forbidden',
      `A sync with the account needs the scopes ${scopes.join(' and ')}, too.`,
    );
}

/** Whether a filter says of each object that it takes that it is the project's. */
export const namesObjects = ({ metadata, includeUnmarked }: SyncFilter): boolean =>
  Object.keys(metadata).length > 0 && !includeUnmarked;
