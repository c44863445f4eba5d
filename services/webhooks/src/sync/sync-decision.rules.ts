import type { ProjectScope } from '@billing/contracts/ids';
import type { FindingOutcome, SyncType } from '@billing/contracts/resources/sync';
import { namedProject, namedTeam } from '@billing/processor/metadata';
import type { Comparison } from '@billing/contracts/rpc/syncs';
import { parentTypeOf } from './synced-objects.rules.ts';

/** What a sync finds out about an object; `reason` in our own words. */
export interface SyncDecision {
  readonly outcome: FindingOutcome | 'same';
  readonly reason: string | null;
}

/** Which objects without a record a project takes. */
export interface SyncFilter {
  /** An object with all of these values is taken. */
  readonly metadata: Readonly<Record<string, string>>;
  /** Whether one with none of these keys is taken too. */
  readonly includeUnmarked: boolean;
}

/** An object of the processor, as far as the decision goes. */
export interface SyncedObject {
  readonly type: SyncType;
  /** Of the object; of an invoice its subscription's too. */
  readonly metadata: Readonly<Record<string, string>>;
  /** What the sync decided on what the object belongs to: a price's product, a subscription's customer. */
  readonly parents: readonly SyncDecision[];
  /** When a subscription ended. */
  readonly endedAt: Date | null;
  readonly isUnfinished: boolean;
}

const DAY_MS = 86_400_000;
/** Subscriptions that ended longer ago are not taken, those that ended since count as churn; nor are payments from before. */
export const HISTORY_DAYS = 400;

/**
 * Decides what an object is to a project. A record that the project has counts most. An object without a record is taken
 * unless it names or belongs to another project, what it belongs to is not taken, or the filter leaves it out.
 */
export function decide(
  object: SyncedObject,
  { outcome, hasParent, isHeldElsewhere }: Pick<Comparison, 'outcome' | 'hasParent' | 'isHeldElsewhere'>,
  { scope, filter, now }: { readonly scope: ProjectScope; readonly filter: SyncFilter; readonly now: Date },
): SyncDecision {
  if (outcome === 'same' || outcome === 'different' || outcome === 'extra') return { outcome, reason: null };
  if (outcome === 'deleted') return skipped('deleted_here');
  const { type, metadata, parents, endedAt, isUnfinished } = object;
  const parent = parentTypeOf(type);
  if ((namedTeam(metadata) ?? scope.teamId) !== scope.teamId) return skipped('other_team');
  if ((namedProject(metadata) ?? scope.projectId) !== scope.projectId || isHeldElsewhere)
    return skipped('other_project');
  if (parents.some(one => one.outcome === 'skipped' || one.outcome === 'conflict')) return skipped(`${parent}_skipped`);
  if (parents.length === 0 && !hasParent) return skipped(`${parent}_unknown`);
  if (!isTaken(object, filter)) return skipped('foreign');
  if (endedAt !== null && now.getTime() - endedAt.getTime() > HISTORY_DAYS * DAY_MS) return skipped('ended_long_ago');
  if (isUnfinished) return skipped(type === 'payment' ? 'pending' : 'draft');
  if (outcome === 'taken') return { outcome: 'conflict', reason: 'another customer of the project has its e-mail' };
  return { outcome, reason: null };
}

/** Reasons that an object belongs to somebody else, as a regular expression. */
export const OF_OTHERS = '^(other_team|other_project|foreign)$|_skipped$';

/** Whether a finding may name its object: whoever reads it may see nothing of another project but that it is there. */
export const mayBeNamed = ({ reason }: Pick<SyncDecision, 'reason'>): boolean =>
  reason === null || !new RegExp(OF_OTHERS).test(reason);

const skipped = (reason: string): SyncDecision => ({ outcome: 'skipped', reason });

/** An object that carries no mark follows what it belongs to. */
function isTaken({ metadata, parents }: SyncedObject, filter: SyncFilter): boolean {
  if (namedProject(metadata) !== undefined) return true;
  const marks = Object.entries(filter.metadata);
  if (marks.some(([key]) => metadata[key] !== undefined)) return marks.every(([key, value]) => metadata[key] === value);
  return filter.includeUnmarked || parents.length > 0;
}

/** A customer of the processor whose e-mail several have, none of which has a record. */
export interface EmailCandidate {
  readonly processorId: string;
  readonly createdSeconds: number;
  readonly hasLiveSubscription: boolean;
}

/** Returns which of several customers with one e-mail is taken: one with a live subscription, then the newest. */
export function chooseCustomer<Candidate extends EmailCandidate>(
  candidates: readonly Candidate[],
): Candidate | undefined {
  return candidates.toSorted(
    (a, b) =>
      Number(b.hasLiveSubscription) - Number(a.hasLiveSubscription) ||
      b.createdSeconds - a.createdSeconds ||
      (a.processorId < b.processorId ? -1 : 1),
  )[0];
}
