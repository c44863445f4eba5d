import type { Sync } from '@billing/client';

type SyncType = Sync['types'][number];

/** What an apply does with the objects of one type, as a report has found them. */
export interface PlannedType {
  readonly type: SyncType;
  readonly created: number;
  readonly changed: number;
  readonly removed: number;
}

/** What an apply does, and how many findings it leaves as they are. */
export interface ApplyPlan {
  readonly types: readonly PlannedType[];
  readonly left: number;
}

/** Returns what follows from a report: types without a change are left out. */
export function planOf({ types, counts }: Pick<Sync, 'types' | 'counts'>): ApplyPlan {
  const planned = types.map(type => ({
    type,
    created: counts[type]?.missing ?? 0,
    changed: counts[type]?.different ?? 0,
    removed: counts[type]?.extra ?? 0,
  }));
  return {
    types: planned.filter(({ created, changed, removed }) => created + changed + removed > 0),
    left: types.reduce((sum, type) => sum + (counts[type]?.conflict ?? 0) + (counts[type]?.skipped ?? 0), 0),
  };
}

/**
 * Returns the report that says what an apply of everything would do: the newest complete one of all types, without a filter.
 * One from before the last apply says nothing. `syncs` are the newest first.
 */
export function newestReport(syncs: readonly Sync[], allTypes: number): Sync | undefined {
  const ofAccount = syncs.filter(({ kind }) => kind === 'account');
  const lastApply = ofAccount.findIndex(({ mode }) => mode === 'apply');
  return ofAccount
    .slice(0, lastApply === -1 ? undefined : lastApply)
    .find(sync => sync.status === 'completed' && sync.types.length === allTypes && !isFiltered(sync));
}

/** Whether a sync leaves objects out by their metadata. */
export const isFiltered = ({ filter }: Pick<Sync, 'filter'>): boolean =>
  Object.keys(filter.metadata).length > 0 || !filter.includeUnmarked;
