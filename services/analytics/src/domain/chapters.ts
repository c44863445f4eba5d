import type { SubscriptionState } from '@billing/contracts/events/subscriptions';
import { movedFigure, onDay, type Movement, type Share } from './figures.ts';
import { joined, sumOfTerms, worthOf, type RevenueTerm } from './revenue.ts';
import { endOf } from './shares.ts';
import { dayOf } from './utc-day.ts';

/** Versions of a subscription that follow each other and are all worth the same a month. */
export interface Chapter {
  /** First and last version. */
  readonly from: number;
  readonly to: number;
  /** Of the first version: when it was recorded, when the subscription began and, if it has, when it ended. */
  readonly recordedAt: Date;
  readonly startedAt: Date;
  readonly endedAt: Date | null;
  readonly worth: readonly RevenueTerm[];
}

/** The one version that a state is. */
export const chapterOf = (state: SubscriptionState, recordedAt: Date): Chapter => ({
  from: state.version,
  to: state.version,
  recordedAt,
  startedAt: state.startedAt,
  endedAt: endOf(state),
  worth: worthOf(state),
});

/**
 * The chapters with further versions put in, which may have been told before, late and in any order: the same versions
 * give the same chapters. Of a version that is told twice, the earlier record counts.
 */
export function withVersions(chapters: readonly Chapter[], told: readonly Chapter[]): readonly Chapter[] {
  let all = [...chapters];
  for (const version of told) {
    const at = all.findIndex(({ from, to }) => from <= version.from && version.from <= to);
    const known = all[at];
    if (!known) all = [...all, version];
    else if (known.from === version.from && version.recordedAt < known.recordedAt)
      all[at] = { ...known, recordedAt: version.recordedAt };
  }
  const written: Chapter[] = [];
  for (const chapter of all.toSorted((one, other) => one.from - other.from)) {
    const last = written.at(-1);
    const goesOn = last && last.to + 1 === chapter.from && isSameWorth(last.worth, chapter.worth);
    if (goesOn) written[written.length - 1] = { ...last, to: chapter.to };
    else written.push(chapter);
  }
  return written;
}

/** How a subscription's revenue moved, day by day; over all days it adds up to what the last chapter is worth. */
export function sharesOfMovements(chapters: readonly Chapter[]): Share[] {
  const currencies = new Set(chapters.flatMap(({ worth }) => worth.map(({ currency }) => currency)));
  return [...currencies].flatMap(currency => sharesOfMovementsIn(currency, chapters));
}

function sharesOfMovementsIn(currency: string, chapters: readonly Chapter[]): Share[] {
  const shares: Share[] = [];
  let worth: readonly RevenueTerm[] = [];
  let movedAt = new Date(0);
  for (const [index, chapter] of chapters.entries()) {
    const next = chapter.worth.filter(term => term.currency === currency);
    const change = joined([...next, ...worth.map(term => ({ ...term, numerator: -term.numerator }))]);
    worth = next;
    const { numerator: direction } = sumOfTerms(change);
    // Terms may change and their sum not.
    if (direction === 0n) continue;
    movedAt = later(movedAt, effectiveAt(chapter, index === 0));
    const movement = movementOf(direction, { isFirst: shares.length === 0, hasEnded: chapter.endedAt !== null });
    for (const { intervalCount, numerator } of change)
      shares.push(onDay(movedFigure(movement, currency, intervalCount), dayOf(movedAt), numerator));
  }
  return shares;
}

/** The first that is known of a subscription holds since it began, an end since it ended, all else since it was recorded. */
function effectiveAt({ recordedAt, startedAt, endedAt }: Chapter, isFirst: boolean): Date {
  if (endedAt) return later(startedAt, endedAt);
  return isFirst ? startedAt : recordedAt;
}

function movementOf(direction: bigint, { isFirst, hasEnded }: { isFirst: boolean; hasEnded: boolean }): Movement {
  if (direction > 0n) return isFirst ? 'new' : 'expansion';
  return hasEnded ? 'churned' : 'contraction';
}

function isSameWorth(one: readonly RevenueTerm[], other: readonly RevenueTerm[]): boolean {
  return (
    one.length === other.length &&
    one.every(({ currency, intervalCount, numerator }, index) => {
      const its = other[index];
      return its?.currency === currency && its.intervalCount === intervalCount && its.numerator === numerator;
    })
  );
}

const later = (a: Date, b: Date): Date => (a > b ? a : b);
