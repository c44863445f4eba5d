import { Problem } from '@billing/contracts/problem';
import type { syncCreate, SyncKind } from '@billing/contracts/resources/sync';
import type { Principal } from '@billing/service/identity-token';
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
 * @throws Problem 403
 */
export function requireScopesOf(kind: SyncKind, principal: Principal, verb: 'read' | 'write'): void {
  if (kind === 'catalog' || principal.kind !== 'api-key') return;
  const scopes = [`customers:${verb}`, `subscriptions:${verb}`] as const;
  if (!scopes.every(scope => principal.scopes.includes(scope)))
    throw new Problem(
      'forbidden',
      'forbidden',
      `A sync with the account needs the scopes ${scopes.join(' and ')}, too.`,
    );
}

/** Whether a filter says of each object that it takes that it is the project's. */
export const namesObjects = ({ metadata, includeUnmarked }: SyncFilter): boolean =>
  Object.keys(metadata).length > 0 && !includeUnmarked;
