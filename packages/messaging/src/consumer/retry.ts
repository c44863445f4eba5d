import { isDatabaseUnavailable } from '@billing/database/database';
import type { Logger } from 'pino';
import { FailedAttempt, isUnavailable } from './dead-letter.ts';
import type { Acknowledgement, Delivery, Handle, Receive } from './delivery.ts';
import type { ConsumerMetrics } from './metrics.ts';

const FIRST_DELAY_MS = 250;
const LONGEST_DELAY_MS = 30_000;
/** How long to wait for the database. */
const DATABASE_DELAY_MS = 2_000;

/**
 * Asks for redelivery with growing delay when a delivery fails. While the database, Stripe or another service is
 * unavailable, events wait and no attempt is counted.
 */
export function retry({ logger, metrics }: { logger: Logger; metrics: ConsumerMetrics }) {
  return (next: Handle): Receive =>
    async delivery => {
      try {
        await next(delivery);
        return { kind: 'ack' };
      } catch (err) {
        const { delayMs, reason, attempts } = afterError(err, delivery);
        const { id: eventId, type, teamId } = delivery.event;
        logger.warn({ err, eventId, type, teamId, delivery: delivery.attempt, attempts, delayMs }, reason);
        metrics.retries.add(1, metrics.attributes);
        return { kind: 'redeliver', delayMs } satisfies Acknowledgement;
      }
    };
}

/** @throws the error itself when it is none that a handler causes */
function afterError(err: unknown, { attempt }: Delivery) {
  if (isDatabaseUnavailable(err)) return { delayMs: DATABASE_DELAY_MS, reason: 'database unavailable, event waits' };
  if (isUnavailable(err))
    return { delayMs: backOff(Math.min(attempt, 8)), reason: 'dependency unavailable, event waits' };
  if (err instanceof FailedAttempt)
    return { delayMs: backOff(err.attempts), reason: 'event handler failed, will try again', attempts: err.attempts };
  throw err;
}

const backOff = (attempts: number): number => Math.min(FIRST_DELAY_MS * 2 ** attempts, LONGEST_DELAY_MS);
