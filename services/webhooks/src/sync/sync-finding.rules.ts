import { isDeepStrictEqual } from 'node:util';
import type { FieldDifference } from '@billing/contracts/resources/sync';
import type { SyncDecision } from './sync-decision.rules.ts';

/** What was decided on an object, and what differs. */
interface Difference extends Pick<SyncDecision, 'outcome'> {
  readonly fields: readonly FieldDifference[];
}

/** An object that is compared again (`suspect`), whose difference counts (`confirmed`), or that needs no more work (`done`). */
type FindingState = 'suspect' | 'confirmed' | 'done';

/** An object that still differs then counts, however much it changes. */
const MAX_CHECKS = 6;

/**
 * Returns what follows from the first reading. What differs from a record may be about to change: its webhook is on its way,
 * or the customer that has its e-mail is being created or changed. So may a recent object without a record.
 */
export function afterFirstReading(
  { outcome }: Pick<Difference, 'outcome'>,
  { isRecent }: { readonly isRecent: boolean },
): FindingState {
  if (outcome === 'different' || outcome === 'conflict') return 'suspect';
  if (outcome !== 'missing') return 'done';
  return isRecent ? 'suspect' : 'confirmed';
}

/**
 * Returns what follows from another reading. A finding is what differs in the same way twice, while no event of the team that
 * was received before waits to be handled (`isBusy`): anything else is a change on its way.
 */
export function afterRecheck(
  before: Difference & { readonly checks: number },
  now: Difference,
  { isBusy }: { readonly isBusy: boolean },
): FindingState {
  if (now.outcome === 'same' || now.outcome === 'skipped') return 'done';
  const isStable = now.outcome === before.outcome && isDeepStrictEqual(now.fields, before.fields);
  if (!(isStable && !isBusy) && before.checks + 1 < MAX_CHECKS) return 'suspect';
  return now.outcome === 'conflict' ? 'done' : 'confirmed';
}
