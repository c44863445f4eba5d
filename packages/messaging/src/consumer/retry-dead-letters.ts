import type { EntityManager } from '@mikro-orm/postgresql';
import { envelope } from '@billing/contracts/event';
import { executeBound } from '@billing/database/bound-statement';
import { startLeaseLoop, type LeaseLoop } from '@billing/database/lease-loop';
import { extendLease, leaseRows, releaseLease, type LeasedTable } from '@billing/database/lease-rows';
import type { Logger } from 'pino';
import { toDelivery } from '../bus.ts';
import { storeDeadLetter } from '../dead-letters.ts';
import type { Consumer } from './consumer.ts';
import type { Receive } from './delivery.ts';

/** Retries of one process at the same time. */
const PARALLEL = 8;
/** The first delivery of a retry: it shares no batch, and is suspected of no crash yet. */
const FIRST_DELIVERY = 3;
const NO_HANDLER = 'The service does not handle such events any more.';

const DEAD_LETTERS: LeasedTable = {
  table: 'dead_letters',
  key: ['consumer', 'event_id'],
  leaseSeconds: 60,
  columns: `consumer, event_id as "eventId", event, deliveries, max_attempts as "maxAttempts"`,
  attempts: 'deliveries',
  maxPerTeam: PARALLEL / 2,
};

interface LeasedLetter {
  readonly consumer: string;
  readonly eventId: string;
  readonly event: unknown;
  readonly deliveries: number;
  readonly maxAttempts: number;
  readonly leaseId: string;
}

/** A consumer and its chain, which is also that of the bus: both count the same failures. */
export interface ReceivingConsumer {
  readonly consumer: Pick<Consumer, 'name' | 'handlerOf'>;
  readonly receive: Receive;
}

interface RetryParts {
  readonly em: EntityManager;
  readonly consumers: readonly ReceivingConsumer[];
  /** How often to look for letters that are to be retried, in milliseconds. */
  readonly intervalMs: number;
  readonly logger: Logger;
}

/**
 * Hands dead letters that someone retries to the consumers that failed, as the bus would, until stopped. A handled one is
 * deleted in the transaction of its effect. One that fails is a dead letter again; while something is unavailable it waits.
 */
export function startDeadLetterRetries({ em, consumers, intervalMs, logger }: RetryParts): LeaseLoop {
  const lease = async (limit: number): Promise<LeasedLetter[]> => {
    const { leaseId, rows } = await leaseRows<Omit<LeasedLetter, 'leaseId'>>(em, DEAD_LETTERS, limit);
    return rows.map(row => ({ ...row, leaseId }));
  };
  const work = async (letters: readonly LeasedLetter[]): Promise<void> => {
    for (const letter of letters) await retry(letter);
  };

  async function retry(letter: LeasedLetter): Promise<void> {
    const { leaseId, deliveries, maxAttempts, consumer: name } = letter;
    const { data: event } = envelope.safeParse(letter.event);
    const receiving = consumers.find(({ consumer }) => consumer.name === name);
    if (!event || !receiving?.consumer.handlerOf(event.type)) return giveUp(letter);
    const keys = [{ consumer: name, event_id: letter.eventId }];
    const held = { leaseId, keys, seconds: DEAD_LETTERS.leaseSeconds };
    const extending = setInterval(
      // A lease that could not be extended ends; deduplication keeps the event from being handled twice.
      () => void extendLease(em.fork(), DEAD_LETTERS, held).catch(() => undefined),
      (DEAD_LETTERS.leaseSeconds * 1_000) / 3,
    );
    try {
      const delivery = toDelivery(event, FIRST_DELIVERY + deliveries - 1);
      const acknowledgement = await receiving.receive({ ...delivery, maxAttempts });
      if (acknowledgement.kind === 'redeliver')
        await releaseLease(em.fork(), DEAD_LETTERS, {
          leaseId,
          keys,
          dueAfterSeconds: acknowledgement.delayMs / 1_000,
        });
      else await deleteHandled(em, letter);
    } finally {
      clearInterval(extending);
    }
  }

  async function giveUp({ consumer, eventId }: LeasedLetter): Promise<void> {
    await storeDeadLetter(em.fork(), consumer, { id: eventId }, { error: NO_HANDLER, reason: NO_HANDLER });
    logger.error({ consumer, eventId }, 'dead letter has no handler');
  }

  return startLeaseLoop({
    name: 'dead-letters',
    batchSize: PARALLEL,
    parallel: PARALLEL,
    lease,
    work,
    intervalMs,
    logger,
  });
}

/** Deletes a letter whose event had been handled before, or was purged; what has failed again is not leased any more. */
async function deleteHandled(em: EntityManager, { consumer, eventId, leaseId }: LeasedLetter): Promise<void> {
  await executeBound(
    em.fork(),
    `delete from dead_letters where consumer = $1 and event_id = $2::uuid and lease_id = $3::uuid`,
    [consumer, eventId, leaseId],
  );
}
