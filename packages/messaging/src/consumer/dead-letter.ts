import { Problem } from '@billing/contracts/problem';
import { ProcessorEventCompleted } from '@billing/contracts/processor-events';
import { isDatabaseUnavailable } from '@billing/database/database';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import { completionOf } from '../completion.ts';
import { countFailure, storeDeadLetter, type Failure } from '../dead-letters.ts';
import { failureReason, PermanentFailure } from '../failure-reason.ts';
import type { Outbox } from '../outbox.ts';
import { semaphore } from '../semaphore.ts';
import { DEAD_LETTERS, openTrimming } from '../trim-team-rows.ts';
import type { Consumer } from './consumer.ts';
import { isSuspect, type Delivery, type Handle } from './delivery.ts';
import type { ConsumerMetrics } from './metrics.ts';

/** After so many failures an event is dead-lettered, unless its delivery says otherwise. */
const MAX_ATTEMPTS = 8;
/** How often an event may be delivered and still share a batch. */
const MAX_BATCHED = 2;
const NEVER_FINISHED = 'No delivery finished; the event may have crashed the process.';
/** Failed events that a process remembers; others may be redelivered to another process. */
const MAX_REMEMBERED = 10_000;

/** A failure that was counted and will be tried again. */
export class FailedAttempt extends Error {
  override readonly name = 'FailedAttempt';
  /** Failures so far, this one included. */
  readonly attempts: number;
  constructor(attempts: number, cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.attempts = attempts;
  }
}

/** Whether an error says that something outside of this process is unavailable at the moment. */
export const isUnavailable = (err: unknown): boolean =>
  isDatabaseUnavailable(err) || (err instanceof Problem && err.kind === 'unavailable');

interface DeadLetterParts {
  readonly consumer: Consumer;
  readonly outbox: Outbox;
  readonly logger: Logger;
  readonly metrics: ConsumerMetrics;
}

/**
 * Counts the failures of each event and stores it as a dead letter after eight. What is unavailable counts for nothing.
 * An event that crashes the process is found by its deliveries that never finished: suspects are counted before they are
 * handled, and handled one at a time, so that events in flight beside them are not blamed.
 * @throws FailedAttempt when the event should be delivered again
 */
export function deadLetter({ consumer, outbox, logger, metrics }: DeadLetterParts) {
  const failed = new LRUCache<string, true>({ maxSize: MAX_REMEMBERED, sizeCalculation: () => 1 });
  /** Events that were counted in advance once too often: what they met was unavailable, and taking it back failed. */
  const uncorrected = new Set<string>();
  const oneAtATime = semaphore(1);
  const trimming = openTrimming(outbox.em, DEAD_LETTERS, logger);

  const count = (delivery: Delivery, error: string, by: 1 | 0 | -1) =>
    countFailure(outbox.em, consumer.name, delivery.event, error, by);

  const store = async (delivery: Delivery, failure: Failure): Promise<void> => {
    const { event, teamId, trace, bytes } = delivery;
    const handler = consumer.handlerOf(event.type);
    await outbox.transaction(async (tx, publish) => {
      const isFirst = await storeDeadLetter(tx, consumer.name, event, failure);
      if (isFirst && handler?.reportsCompletion)
        publish(ProcessorEventCompleted, teamId, { completions: [completionOf(event, failure)] }, trace);
    });
    failed.delete(event.id);
    trimming.add(teamId, bytes);
    await trimming.run();
    metrics.deadLetters.add(1, metrics.attributes);
    logger.error({ eventId: event.id, type: event.type, teamId, ...failure }, 'event dead-lettered');
  };

  /** Counts a suspect in advance; true when it has used up its attempts and is a dead letter now. */
  const countInAdvance = async (delivery: Delivery): Promise<boolean> => {
    const by = uncorrected.delete(delivery.event.id) ? 0 : 1;
    const attempts = await count(delivery, 'The previous delivery did not finish.', by);
    if (attempts <= (delivery.maxAttempts ?? MAX_ATTEMPTS)) return false;
    await store(delivery, { attempts, error: NEVER_FINISHED, reason: NEVER_FINISHED });
    return true;
  };

  const takeBack = (delivery: Delivery, err: unknown) =>
    count(delivery, messageOf(err), -1).catch(() => uncorrected.add(delivery.event.id));

  const afterFailure = async (delivery: Delivery, err: unknown, isCounted: boolean): Promise<void> => {
    const error = messageOf(err);
    const attempts = await count(delivery, error, isCounted ? 0 : 1);
    if (attempts >= (delivery.maxAttempts ?? MAX_ATTEMPTS) || err instanceof PermanentFailure)
      return store(delivery, { attempts, error, reason: failureReason(err) });
    failed.set(delivery.event.id, true);
    throw new FailedAttempt(attempts, err);
  };

  return (next: Handle): Handle =>
    async delivery => {
      const { id } = delivery.event;
      let isCounted = false;
      const handle = async () => {
        if (isSuspect(delivery)) {
          if (await countInAdvance(delivery)) return;
          isCounted = true;
        }
        await next({ ...delivery, isAlone: delivery.attempt > MAX_BATCHED || failed.has(id) });
      };
      try {
        await (isSuspect(delivery) ? oneAtATime(handle) : handle());
        failed.delete(id);
      } catch (err) {
        if (!isUnavailable(err)) return afterFailure(delivery, err, isCounted);
        if (isCounted) await takeBack(delivery, err);
        throw err;
      }
    };
}

const messageOf = (err: unknown): string => (err instanceof Error ? err.message : String(err));
