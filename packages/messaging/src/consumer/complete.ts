import { ProcessorEventCompleted } from '@billing/contracts/processor-events';
import { z } from 'zod';
import { completionOf } from '../completion.ts';
import { deleteFailures, deleteReplayed, type ReplayedEvent } from '../dead-letters.ts';
import { publishBatched } from '../publish-batched.ts';
import type { Consumer } from './consumer.ts';
import { isSuspect, type Delivery, type HandleInTransaction } from './delivery.ts';

/**
 * Finishes handled deliveries in the transaction of their effects: deletes the failures that were counted for them, or for what
 * they replay, and reports Stripe's events as processed with `processor-event.completed`.
 */
export function complete(consumer: Consumer) {
  return (next: HandleInTransaction): HandleInTransaction =>
    async (tx, deliveries, publish) => {
      const unprepared = new Set(await next(tx, deliveries, publish));
      const handled = deliveries.filter(delivery => !unprepared.has(delivery));
      const redelivered = handled.filter(({ attempt }) => attempt > 1).map(({ event }) => event.id);
      const failures = await deleteFailures(tx, consumer.name, redelivered);
      const reported = handled.filter(({ event }) => consumer.handlerOf(event.type)?.reportsCompletion);
      await deleteReplayed(tx, consumer.name, reported.flatMap(replayedEvent));
      publishBatched(
        publish,
        ProcessorEventCompleted,
        reported.map(delivery => {
          const { event, trace } = delivery;
          const attempts = attemptsOf(delivery, failures.get(event.id) ?? 0);
          return { teamId: event.teamId, item: { ...completionOf(event, null), attempts }, trace };
        }),
        completions => ({ completions }),
      );
      return [...unprepared];
    };
}

/** A suspect was counted before it was handled. */
const attemptsOf = (delivery: Delivery, failures: number): number =>
  isSuspect(delivery) ? Math.max(failures, 1) : failures + 1;

const replayed = z.object({ eventId: z.string(), projectId: z.string(), replays: z.int().min(1) });

function replayedEvent({ event: { teamId, data } }: Delivery): ReplayedEvent[] {
  // Most events replay none, and zod makes an error with a stack for each.
  if (Object(data).replays === undefined) return [];
  const { data: found } = replayed.safeParse(data);
  return found ? [{ teamId, eventId: found.eventId, projectId: found.projectId }] : [];
}
