import type { EventSubscriber } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Logger } from 'pino';
import type { Publish } from './bus.ts';
import { forgetPublished, RELAY_BATCH, relayOnce } from './outbox.ts';
import { restAfter } from './rest.ts';

const HOUR_MS = 3_600_000;

/**
 * Relays the outbox until stopped: at once after this process commits something, and else every `intervalMs` for what
 * others left behind. Answers the function that stops it, after the batch in hand.
 */
export function startRelay(em: EntityManager, publish: Publish, logger: Logger, intervalMs = 250): () => Promise<void> {
  const stopping = new AbortController();
  let wake: () => void = () => undefined;
  let woken = false;
  const onCommit: EventSubscriber = {
    afterTransactionCommit: () => {
      woken = true;
      wake();
    },
  };
  em.getEventManager().registerSubscriber(onCommit);

  const pause = (ms: number) =>
    new Promise<void>(resolve => {
      if (woken || stopping.signal.aborted) return resolve();
      const timer = setTimeout(resolve, ms);
      wake = () => (clearTimeout(timer), resolve());
    });

  const relay = async () => {
    let failures = 0;
    while (!stopping.signal.aborted) {
      woken = false;
      const startedAt = performance.now();
      try {
        const published = await relayOnce(em, publish);
        failures = 0;
        if (published === 0) await pause(intervalMs);
        else if (published < RELAY_BATCH) await restAfter(performance.now() - startedAt);
      } catch (err) {
        failures += 1;
        logger.warn({ err, failures }, 'outbox not relayed, will try again');
        woken = false;
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
  };
}
