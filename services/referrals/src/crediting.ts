import { setTimeout as delay } from 'node:timers/promises';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Logger } from 'pino';
import { claimCredits, type ClaimedCredit } from './operations/claim-credits.ts';

interface Crediting {
  readonly em: EntityManager;
  readonly settle: (credit: ClaimedCredit) => Promise<void>;
  readonly logger: Logger;
  /** Pause between two looks at the ledger, in milliseconds. */
  readonly intervalMs?: number;
}

/** Credits this process has in hand at once. */
const CAPACITY = 16;

/** Works off the ledger until stopped; a slow credit holds up no other. Answers the function that stops it, after those in hand. */
export function startCrediting({ em, settle, logger, intervalMs = 500 }: Crediting): () => Promise<void> {
  const stopping = new AbortController();
  const inHand = new Set<Promise<void>>();

  const takeOn = (credit: ClaimedCredit) => {
    const { referralId, side } = credit;
    const settling = settle(credit)
      .catch((err: unknown) => logger.warn({ err, referralId, side }, 'credit not settled, its claim will run out'))
      .finally(() => inHand.delete(settling));
    inHand.add(settling);
  };

  const work = async () => {
    while (!stopping.signal.aborted) {
      try {
        if (inHand.size < CAPACITY) (await claimCredits(em, CAPACITY - inHand.size)).forEach(takeOn);
      } catch (err) {
        logger.warn({ err }, 'ledger not read, will try again');
      }
      await delay(intervalMs, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
    await Promise.all(inHand);
  };
  const working = work();

  return async () => {
    stopping.abort();
    await working;
  };
}
