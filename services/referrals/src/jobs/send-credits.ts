import { setTimeout as delay } from 'node:timers/promises';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Logger } from 'pino';
import { leaseCredits, type LeasedCredit } from '#operations/lease-credits.ts';

interface SendCreditsDependencies {
  readonly em: EntityManager;
  readonly send: (credit: LeasedCredit) => Promise<void>;
  readonly logger: Logger;
  /** Time between two polls of the ledger, in milliseconds. */
  readonly intervalMs?: number;
}

/** Credits that one process sends at the same time. */
const MAX_IN_FLIGHT = 16;

/** Sends due credits until stopped; a slow credit delays no other. Returns a function that stops it after those in flight. */
export function startSendingCredits(dependencies: SendCreditsDependencies): () => Promise<void> {
  const { em, send, logger, intervalMs = 500 } = dependencies;
  const stopping = new AbortController();
  const inFlight = new Set<Promise<void>>();

  const start = (credit: LeasedCredit) => {
    const { referralId, side } = credit;
    const sending = send(credit)
      .catch((err: unknown) => logger.warn({ err, referralId, side }, 'credit not saved, its lease will expire'))
      .finally(() => inFlight.delete(sending));
    inFlight.add(sending);
  };

  const poll = async () => {
    while (!stopping.signal.aborted) {
      try {
        if (inFlight.size < MAX_IN_FLIGHT) (await leaseCredits(em, MAX_IN_FLIGHT - inFlight.size)).forEach(start);
      } catch (err) {
        logger.warn({ err }, 'credits not leased, will retry');
      }
      await delay(intervalMs, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
    await Promise.all(inFlight);
  };
  const polling = poll();

  return async () => {
    stopping.abort();
    await polling;
  };
}
