import { catalogConflictText, type Sync, type SyncFinding } from '@billing/client';
import { formatCount } from '#ui/amount.ts';
import type { StatusText } from '#ui/statuses.tsx';

/** How an item of the catalog compares with the document. */
export const CATALOG_OUTCOME: Readonly<Record<SyncFinding['outcome'], StatusText>> = {
  missing: { name: 'Not here', tone: 'warn' },
  different: { name: 'Different', tone: 'warn' },
  extra: { name: 'Only here', tone: 'neutral' },
  conflict: { name: 'Conflict', tone: 'bad' },
  skipped: { name: 'Skipped', tone: 'neutral' },
};

type Action = NonNullable<SyncFinding['action']>;

const PLANNED: Readonly<Record<Action, string>> = {
  create: 'An apply creates it.',
  update: 'An apply changes it.',
  replace: 'An apply creates a price with the new terms, and archives this one.',
  archive: 'An apply archives it.',
  none: 'An apply leaves it as it is.',
};
const APPLIED: Readonly<Record<Action, string>> = {
  create: 'It was created.',
  update: 'It was changed.',
  replace: 'A price with the new terms was created, and the old one archived.',
  archive: 'It was archived.',
  none: 'It was left as it is.',
};

/** Says what an apply of the document does with an item, or what became of it. */
export function explainItem(finding: SyncFinding, mode: Sync['mode']): string {
  const { action, reason, applied } = finding;
  if (reason !== null) return catalogConflictText(reason);
  if (applied) return APPLIED[action ?? 'none'];
  return mode === 'report' || action === 'none' ? PLANNED[action ?? 'none'] : 'It was not applied.';
}

/** Says how many subscriptions stay on a price that is replaced or archived; undefined where none do. */
export function staysText({ liveSubscriptions }: Pick<SyncFinding, 'liveSubscriptions'>): string | undefined {
  if (!liveSubscriptions) return undefined;
  return liveSubscriptions === 1
    ? '1 subscription stays on it, at its terms.'
    : `${formatCount(liveSubscriptions)} subscriptions stay on it, at its terms.`;
}
