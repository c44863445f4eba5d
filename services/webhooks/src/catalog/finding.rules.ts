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

/** Returns whether a price is left behind, with the subscriptions that it has. */
export const leavesSubscriptions = ({ type, action }: Pick<CatalogFinding, 'type' | 'action'>): boolean =>
  type === 'price' && (action === 'replace' || action === 'archive');

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

interface Keyed {
  readonly key: string;
  readonly name: string;
}

/** Wanted items of a kind with the records that have their keys, or are to get them. */
export interface ComparedKind {
  readonly findings: CatalogFinding[];
  /** The record of each wanted item, with and without its key; null while there is none. */
  readonly recordOf: ReadonlyMap<string, string | null>;
  /** The keys of what is in conflict. */
  readonly inConflict: ReadonlySet<string>;
}

/**
 * Compares wanted items with the records of their keys, else with those of their name that have none.
 * @param known the records that have a key, one of each
 * @param conflictIn why the fields that differ cannot be changed, if so
 */
export function compareKind(
  type: 'product' | 'coupon',
  wanted: readonly Keyed[],
  {
    all,
    known,
    adopt,
  }: {
    readonly all: readonly RecordedItem<{
      readonly key: string | null;
      readonly name: string;
      readonly isActive?: boolean;
    }>[];
    readonly known: readonly RecordedItem<{ readonly key: string }>[];
    readonly adopt: boolean;
  },
  conflictIn: (fields: readonly FieldDifference[]) => string | null,
): ComparedKind {
  const findings: CatalogFinding[] = [];
  const recordOf = new Map<string, string | null>();
  const inConflict = new Set<string>();
  const twinOf = twinsAmong(all);
  for (const item of wanted) {
    const { key, name } = item;
    const found = known.find(it => it.item.key === key);
    const twin = found ?? twinOf(it => it.item.isActive !== false && it.item.name === name);
    recordOf.set(key, twin?.id ?? null);
    const [compared] = compareItem(type, { key, name, found, twin, adopt }, item);
    const reason = twin && compared ? conflictIn(compared.fields) : null;
    const finding = compared && reason !== null ? { ...compared, ...conflictOf(reason) } : compared;
    if (finding?.outcome === 'conflict') inConflict.add(key);
    if (finding) findings.push(finding);
  }
  return { findings, recordOf, inConflict };
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

/** What a document lacks. What is archived is shown whole: if it has changed since a report, that is not what it was about. */
export const extra = ({ type, key, id, name }: Of, item: object, prune: boolean): CatalogFinding => {
  const content = Object.entries(item).filter(([, ours]) => ours !== null);
  const fields = prune ? content.map(([field, ours]: [string, unknown]) => ({ field, ours, theirs: null })) : [];
  return { type, key, id, name, fields, outcome: 'extra', action: prune ? 'archive' : 'none', reason: null };
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
    .map(({ id, item }) => extra({ type, key: item.key, id, name: item.name ?? null }, item, prune));
