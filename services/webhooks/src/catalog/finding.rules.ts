import type { CatalogAction, CatalogType, FieldDifference, FindingOutcome } from '@billing/contracts/resources/sync';
import { fieldDifferences } from '@billing/processor/field-differences';
import type { RecordedItem } from './items.rules.ts';

/** An item of the catalog that differs from the document. */
export interface CatalogFinding {
  readonly type: CatalogType;
  /** The text of a promotion code; `portal` and `settings` of those. */
  readonly key: string;
  /** Our id of the record; null where there is none. */
  readonly id: string | null;
  readonly outcome: Extract<FindingOutcome, 'missing' | 'different' | 'extra' | 'conflict'>;
  readonly action: CatalogAction;
  readonly name: string | null;
  readonly fields: readonly FieldDifference[];
  /** Why it is in conflict. */
  readonly reason: string | null;
}

/** What a comparison with a document is to find. */
export interface CompareOptions {
  /** Archives what the document lacks. */
  readonly prune: boolean;
  /** Gives a key to what is the same and has none. */
  readonly adopt: boolean;
}

interface Compared {
  readonly key: string;
  readonly name: string | null;
  readonly found: RecordedItem<object> | undefined;
  /** What has the key, or is the same and has none. */
  readonly twin: RecordedItem<object> | undefined;
  readonly adopt: boolean;
}

/** Compares what has a key, or is to get it, with a wanted item. */
export function compareItem(
  type: 'product' | 'price' | 'coupon',
  compared: Compared,
  wanted: object,
): CatalogFinding[] {
  const { key, name, found, twin, adopt } = compared;
  if (!twin) return [missing(type, key, name, wanted)];
  const fields = fieldDifferences(twin.item, wanted);
  return changed({ type, key, id: twin.id, name }, fields, found || adopt ? null : 'twin');
}

/** Finds records without a key that are the same as a wanted item; each is the twin of one. */
export function twinsAmong<Found extends RecordedItem<{ readonly key: string | null }>>(all: readonly Found[]) {
  const free = new Set(all.filter(({ item }) => item.key === null));
  return (isTwin: (found: Found) => boolean): Found | undefined => {
    const twin = [...free].find(isTwin);
    if (twin) free.delete(twin);
    return twin;
  };
}

/** Of what a finding is. */
export type Of = Pick<CatalogFinding, 'type' | 'key' | 'id' | 'name'>;

export const conflictOf = (reason: string) => ({ outcome: 'conflict', action: 'none', reason }) as const;
export const conflict = (of: Of, reason: string): CatalogFinding => ({ ...of, fields: [], ...conflictOf(reason) });

export const changed = (of: Of, fields: readonly FieldDifference[], reason: string | null): CatalogFinding[] => {
  if (reason !== null) return [{ ...of, fields, ...conflictOf(reason) }];
  return fields.length === 0 ? [] : [{ ...of, fields, outcome: 'different', action: 'update', reason: null }];
};

export const missing = (type: CatalogType, key: string, name: string | null, wanted: object): CatalogFinding => {
  const fields = fieldDifferences<object>({}, wanted).filter(({ theirs }) => theirs !== null);
  return { type, key, id: null, name, fields, outcome: 'missing', action: 'create', reason: null };
};

export const extra = (
  type: CatalogType,
  key: string,
  id: string,
  name: string | null,
  prune: boolean,
): CatalogFinding => {
  const action = prune ? 'archive' : 'none';
  return { type, key, id, name, fields: [], outcome: 'extra', action, reason: null };
};

/** Returns what is active and not wanted. */
export const extras = (
  type: CatalogType,
  known: readonly {
    readonly id: string;
    readonly item: { readonly key: string; readonly isActive?: boolean; readonly name?: string };
  }[],
  wantedKeys: ReadonlySet<string>,
  prune: boolean,
): CatalogFinding[] =>
  known
    .filter(({ item }) => item.isActive !== false && !wantedKeys.has(item.key))
    .map(({ id, item }) => extra(type, item.key, id, item.name ?? null, prune));
