import { createHash } from 'node:crypto';
import type { CustomerId, ProjectId } from '@billing/contracts/ids';
import { invalid, notFound, Problem } from '@billing/contracts/problem';
import type { SummaryQuery, Usage, UsageEvent } from '@billing/contracts/resources/usage';
import {
  isRefused,
  isRefusedKey,
  isUnknownOutcome,
  missingPermission,
  type ProcessorError,
} from '@billing/processor/errors';
import type { SummarizedTime } from '@billing/processor/usage';

const [MINUTE_MS, HOUR_MS, DAY_MS] = [60_000, 3_600_000, 86_400_000];
const LONGEST_AHEAD_MS = 5 * MINUTE_MS;
/** The processor takes 35 days: what waits for a while is not too old then. https://docs.stripe.com/api/billing/meter-event/create */
const LONGEST_AGO_MS = 34 * DAY_MS;
/** The processor knows an identifier for 24 hours at least. */
const REPEATABLE_MS = 23 * HOUR_MS;
const MAX_WINDOWS = 1_000;

/** What is recorded of an event. */
export interface RecordedUsage {
  readonly id: string;
  readonly customerId: CustomerId;
  readonly meter: string;
  readonly value: number;
  readonly at: Date;
}

/** What is known about the events of a request. */
export interface Known {
  readonly customerOf: (event: UsageEvent) => CustomerId | undefined;
  /** The time of a customer. */
  readonly nowOf: (customerId: CustomerId) => Date;
  /** By id. */
  readonly recorded: ReadonlyMap<string, RecordedUsage>;
}

/**
 * Sorts out which events are new; the others are duplicates, of recorded ones or of earlier ones of the request. A repeat that does
 * not say when means the same time.
 * @throws Problem of the first wrong event, whose details name all of them
 */
export function sortOut(events: readonly UsageEvent[], known: Known): RecordedUsage[] {
  const recorded = new Map(known.recorded);
  const fresh: RecordedUsage[] = [];
  const wrong: WrongEvent[] = [];
  for (const [index, event] of events.entries()) {
    const { id, meter, value } = event;
    const customerId = known.customerOf(event);
    const reject = (problem: Problem) => wrong.push({ index, id, problem });
    if (customerId === undefined) {
      reject(notFound('customer'));
      continue;
    }
    const now = known.nowOf(customerId).getTime();
    const at = event.at ?? new Date(now);
    const usage = { id, customerId, meter, value, at };
    const before = recorded.get(id);
    if (before) {
      if (!isSame(before, event.at ? usage : { ...usage, at: before.at })) reject(idTaken());
    } else if (at.getTime() > now + LONGEST_AHEAD_MS) reject(inFuture());
    else if (at.getTime() < now - LONGEST_AGO_MS) reject(tooOld());
    else {
      recorded.set(id, usage);
      fresh.push(usage);
    }
  }
  if (wrong[0]) throw naming(wrong, wrong[0].problem);
  return fresh;
}

const isSame = (one: RecordedUsage, other: RecordedUsage): boolean =>
  one.customerId === other.customerId &&
  one.meter === other.meter &&
  one.value === other.value &&
  one.at.getTime() === other.at.getTime();

interface WrongEvent {
  readonly index: number;
  readonly id: string;
  readonly problem: Problem;
}

function naming(wrong: readonly WrongEvent[], { kind, code, message }: Problem): Problem {
  const events = wrong.map(({ index, id, problem }) => ({ index, id, code: problem.code }));
  return new Problem(kind, code, message, { details: { events } });
}

const idTaken = () => new Problem('conflict', 'usage_id_taken', 'Another event was recorded under the id.');
const inFuture = () => new Problem('unprocessable', 'usage_in_future', 'The event is more than 5 minutes ahead.');
const tooOld = () => new Problem('unprocessable', 'usage_too_old', 'The event is older than 34 days.');

/** Returns what the processor knows an event by, as no other of the account is. */
export const identifierOf = (projectId: ProjectId, id: string): string =>
  `usage_${createHash('sha256')
    .update(JSON.stringify([projectId, id]))
    .digest('hex')}`;

type Reason = NonNullable<Usage['reason']>;

export const OUTCOME_UNKNOWN: Reason = {
  code: 'outcome_unknown',
  message: 'The payment processor did not respond for 23 hours, so that a repeat could count the usage twice.',
};

/** Returns whether an event was sent first so long ago that a repeat could count it twice. */
export const isTooLateToRepeat = (firstSentAt: Date | null, now: Date): boolean =>
  firstSentAt !== null && now.getTime() - firstSentAt.getTime() > REPEATABLE_MS;

/** The statuses of refusals that say nothing about the event: another request is under way, or there are too many. */
const ABOUT_REQUESTS: ReadonlySet<number | undefined> = new Set([409, 429]);

/**
 * Returns why the processor refused an event; `again` when the event has to be sent again under the same key, `under-next-key` when
 * the processor has stored a failure under it, and `as-unsent` when it took no events of the team at all.
 */
export function refusalOf(error: unknown): Reason | 'again' | 'under-next-key' | 'as-unsent' {
  if (isUnknownOutcome(error)) return 'under-next-key';
  if (isRefusedKey(error) || missingPermission(error) !== null) return 'as-unsent';
  if (!isRefused(error)) return 'again';
  return ABOUT_REQUESTS.has(error.processorStatus) ? 'again' : reasonOf(error);
}

const reasonOf = ({ processorCode, message }: ProcessorError): Reason => ({
  code: processorCode ?? 'refused',
  message,
});

/**
 * Rounds the time that is summed up: to whole minutes, or to whole windows.
 * @throws Problem 400 for one that is empty, or has too many windows
 */
export function roundTime({ start, end, window }: Pick<SummaryQuery, 'start' | 'end' | 'window'>): SummarizedTime {
  const size = window === 'day' ? DAY_MS : window === 'hour' ? HOUR_MS : MINUTE_MS;
  const from = Math.floor(start.getTime() / size) * size;
  const to = Math.ceil(end.getTime() / size) * size;
  if (end <= start) throw invalid([{ path: 'end', message: 'Expected a time after `start`.' }]);
  if (window && (to - from) / size > MAX_WINDOWS)
    throw invalid([{ path: 'window', message: `Expected at most ${MAX_WINDOWS} windows.` }]);
  return { start: new Date(from), end: new Date(to), window };
}
