import type { Chapter } from './chapters.ts';
import { sharesOfMovements } from './chapters.ts';
import { difference } from './difference.ts';
import { MOVED, type Share } from './figures.ts';
import type { Lifetime } from './shares.ts';
import type { Sighting } from './sighting.ts';

/** What the read model holds of a subject. */
export interface KnownSubject {
  /** Of the newest state seen. */
  readonly version: number;
  /** What the figures hold of it. */
  readonly shares: readonly Share[];
  readonly lifetime: Lifetime | null;
}

/** A subject after further states of it were seen, and what that adds to the figures. */
export interface FoldedSubject {
  readonly subject: KnownSubject;
  readonly additions: readonly Share[];
}

/**
 * Follows a subject to the newest of the states seen, and its movements to all its chapters. Undefined where nothing
 * changes: a state that is not newer than the one known adds nothing, so states may come in any order and any number
 * of times.
 */
export function fold(
  known: KnownSubject | undefined,
  newest: Sighting,
  chapters: readonly Chapter[],
): FoldedSubject | undefined {
  const isNewer = !known || newest.version > known.version;
  const state = isNewer ? newest.shares : known.shares.filter(({ figure }) => !figure.startsWith(MOVED));
  const shares = difference([], [...state, ...sharesOfMovements(chapters)]);
  const additions = difference(known?.shares ?? [], shares);
  if (!isNewer && additions.length === 0) return undefined;
  const { version, lifetime } = isNewer ? newest : known;
  return { subject: { version, shares, lifetime }, additions };
}

/** The same subject once it counts elsewhere, as `newest` says. */
export function leave(known: KnownSubject, newest: Sighting): FoldedSubject {
  return {
    subject: { version: newest.version, shares: [], lifetime: null },
    additions: difference(known.shares, []),
  };
}
