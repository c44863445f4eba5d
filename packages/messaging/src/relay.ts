import type { EntityManager } from '@mikro-orm/postgresql';
import type { Logger } from 'pino';
import type { Publish } from './bus.ts';
import { openHandOver } from './hand-over.ts';
import { forgetPublished, publishClaimed, RELAY_BATCH, relayOnce, unclaim, type Complete } from './outbox.ts';
import { restAfter } from './rest.ts';

const HOUR_MS = 3_600_000;

interface RelayOptions {
  /** Between looks for what others left behind, in milliseconds. */
  readonly intervalMs?: number;
  /** For a service that keeps parts of facts elsewhere. */
  readonly complete?: Complete;
}

/**
 * Relays the outbox until stopped: what this process records, at once after its commit, and every `intervalMs` what
 * others left behind. Answers the function that stops it, after the batch in hand.
 */
export function startRelay(
  em: EntityManager,
  publish: Publish,
  logger: Logger,
  { intervalMs = 1_000, complete }: RelayOptions = {},
): () => Promise<void> {
  const stopping = new AbortController();
  let wake: () => void = () => undefined;
  let woken = false;
  let mayHoldOthers = true;
  let lookedAt = 0;
  const handOver = openHandOver(em, others => {
    mayHoldOthers ||= others;
    woken = true;
    wake();
  });

  const pause = (ms: number) =>
    new Promise<void>(resolve => {
      if (woken || stopping.signal.aborted) return resolve();
      const timer = setTimeout(resolve, ms);
      wake = () => (clearTimeout(timer), resolve());
    });

  /** Answers how many facts it had in hand. */
  const relayBatch = async (): Promise<number> => {
    const own = handOver.take(RELAY_BATCH);
    await publishClaimed(em, publish, own);
    if (!mayHoldOthers && performance.now() - lookedAt < intervalMs) return own.length;
    mayHoldOthers = false;
    lookedAt = performance.now();
    const found = await relayOnce(em, publish, complete && { complete });
    mayHoldOthers ||= found > 0;
    return Math.max(own.length, found);
  };

  const relay = async () => {
    let failures = 0;
    while (!stopping.signal.aborted) {
      woken = false;
      const startedAt = performance.now();
      try {
        const count = await relayBatch();
        failures = 0;
        if (count === 0) await pause(intervalMs);
        else if (count < RELAY_BATCH) await restAfter(performance.now() - startedAt);
      } catch (err) {
        failures += 1;
        logger.warn({ err, failures }, 'outbox not relayed, will try again');
        woken = false;
        mayHoldOthers = true;
        await pause(Math.min(intervalMs * 2 ** failures, 5_000));
      }
    }
  };
  const relaying = relay();
  const cleaning = setInterval(
    () => void forgetPublished(em).catch(err => logger.warn({ err }, 'outbox not cleaned')),
    HOUR_MS,
  );

  return async () => {
    stopping.abort();
    clearInterval(cleaning);
    wake();
    await relaying;
    const left = handOver.close().map(({ id }) => id);
    await unclaim(em, left).catch(err => logger.warn({ err }, 'facts not given back, their claims will run out'));
  };
}
