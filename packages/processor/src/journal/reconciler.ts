import type { EntityManager } from '@mikro-orm/postgresql';
import type { Logger } from 'pino';
import type { Journal } from './write-journal.ts';

/** How many writes one process takes up at once. */
const MAX_IN_HAND = 20;
const HOUR_MS = 3_600_000;

interface ReconcilerOptions {
  readonly journal: Journal;
  readonly em: EntityManager;
  readonly logger: Logger;
  readonly intervalMs?: number;
}

/**
 * Takes up writes that a crash or a processor that was away has left on record, until stopped. Copies of a service may
 * run it side by side. Answers the function that stops it, after the writes in hand.
 */
export function startReconciler({ journal, em, logger, intervalMs = 1_000 }: ReconcilerOptions): () => Promise<void> {
  const inHand = new Set<Promise<void>>();
  let sweeping: Promise<void> | undefined;

  const sweep = async () => {
    const room = MAX_IN_HAND - inHand.size;
    if (room <= 0) return;
    for (const write of await journal.resumeDue(room)) {
      inHand.add(write);
      void write.finally(() => inHand.delete(write));
    }
  };
  const timer = setInterval(() => {
    sweeping ??= sweep()
      .catch((err: unknown) => logger.warn({ err }, 'unfinished writes not looked for, will try again'))
      .finally(() => (sweeping = undefined));
  }, intervalMs);
  const cleaning = setInterval(() => {
    forgetFinished(em).catch((err: unknown) => logger.warn({ err }, 'finished writes not forgotten'));
  }, HOUR_MS);

  return async () => {
    clearInterval(timer);
    clearInterval(cleaning);
    await sweeping;
    await Promise.all(inHand);
  };
}

/** Forgets finished writes after 24 hours: then an Idempotency-Key may be used anew. */
export async function forgetFinished(em: EntityManager, batchSize = 5_000): Promise<void> {
  await em.fork().execute(
    `delete from pending_writes where id in (
       select id from pending_writes where finished_at < now() - interval '24 hours' limit ?)`,
    [batchSize],
  );
}
