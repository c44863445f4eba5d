import type { EntityManager } from '@mikro-orm/postgresql';
import type { Outbox } from '@billing/messaging/outbox';
import { idempotencyKey } from '@billing/processor/idempotency-key';
import type { Processor } from '@billing/processor/port';
import type { TeamProcessors } from '@billing/processor/team-processors';
import { turnJob } from '@billing/processor/turns';
import { CAUSED_BY_SYSTEM, FOUND_AT_PROCESSOR } from '@billing/service/event-causes';
import type { Logger } from 'pino';
import { Customer } from '#persistence/customer.entity.ts';
import { rejectUsage } from './reject-usage.ts';
import {
  haveChecked,
  leaseQueues,
  markSent,
  markUnsent,
  releaseQueue,
  takeNext,
  takeNextKey,
  type LeasedQueue,
  type NextUsage,
} from './usage-rows.ts';
import { isTooLateToRepeat, OUTCOME_UNKNOWN, refusalOf } from './usage.rules.ts';

/** How long a queue is sent before others have their turn, in milliseconds. */
const TURN_MS = 2_000;
/** Queues that a process sends at once. */
const PARALLEL = 16;
const LONGEST_PAUSE_SECONDS = 300;

export interface SendParts {
  readonly em: EntityManager;
  readonly outbox: Outbox;
  readonly processors: TeamProcessors;
  readonly now: () => Date;
  readonly logger: Logger;
}

/** Sends pending usage to the processor until stopped. Copies of the service may run it side by side. */
export const usageJob = (parts: SendParts) =>
  turnJob<LeasedQueue>({
    name: 'usage',
    parallel: PARALLEL,
    lease: limit => leaseQueues(parts.em, limit),
    run: sendQueue(parts),
    logger: parts.logger,
  });

/**
 * Sends the pending events of a customer and a meter one after the other, for a turn. What the processor refuses is rejected, and the
 * next one goes on; after any other failure the queue waits for a growing time, with its order.
 */
export function sendQueue(parts: SendParts) {
  const { em, processors, now, logger } = parts;
  const send = sendOne(parts);
  return async (queue: LeasedQueue, signal: AbortSignal): Promise<void> => {
    const { teamId, projectId, customerId: id } = queue;
    const until = performance.now() + TURN_MS;
    let [failures, hasFailed, isChecked] = [queue.failures, false, false];
    try {
      // One that was deleted here exists at the processor all the same.
      const customer = await em.fork().findOneOrFail(Customer, { id, teamId, projectId });
      const processor = await processors.of(teamId);
      while (!signal.aborted && performance.now() < until) {
        const next = await takeNext(em, queue, now());
        if (!next) break;
        // Before it is sent, for this process may die.
        if (!isChecked) await haveChecked(em, queue, now());
        isChecked = true;
        await send(processor, { queue, next, processorId: customer.processorId ?? '' });
        failures = 0;
      }
    } catch (err) {
      logger.warn({ err, teamId, customerId: id, failures }, 'usage not sent, will try again');
      [failures, hasFailed] = [failures + 1, true];
    }
    const dueAfterSeconds = hasFailed ? Math.min(2 ** Math.min(failures, 20), LONGEST_PAUSE_SECONDS) : 0;
    await releaseQueue(em, queue, { failures, dueAfterSeconds });
  };
}

interface Sending {
  readonly queue: LeasedQueue;
  readonly next: NextUsage;
  readonly processorId: string;
}

/** Sends an event. @throws when it is not known what has become of it, or it has to be sent again */
function sendOne(parts: SendParts) {
  const { em, now } = parts;
  const reject = rejectUsage(parts);
  return async (processor: Processor, { queue, next, processorId: customerId }: Sending): Promise<void> => {
    const { teamId, projectId, meter } = queue;
    const { id, value, at, identifier, keyVersion } = next;
    const event = { teamId, projectId, id };
    if (isTooLateToRepeat(next.firstSentAt, now()))
      return reject(event, { reason: OUTCOME_UNKNOWN, cause: CAUSED_BY_SYSTEM });
    try {
      const key = idempotencyKey('usage', identifier, keyVersion);
      await processor.sendUsage({ meter, identifier, customerId, value, at }, key);
    } catch (err) {
      const refusal = refusalOf(err);
      if (refusal === 'under-next-key') await takeNextKey(em, queue, id);
      // An attempt before may have had another outcome.
      if (refusal === 'as-unsent' && next.firstSentAt === null) await markUnsent(em, queue, id);
      if (typeof refusal === 'string') throw err;
      return reject(event, { reason: refusal, cause: FOUND_AT_PROCESSOR });
    }
    await markSent(em, queue, id, now());
  };
}
