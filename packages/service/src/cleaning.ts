import type { Logger } from 'pino';

const HOUR_MS = 3_600_000;

/**
 * Runs `tasks` every hour, one after another; they delete expired rows. A task that fails is logged and runs again an hour
 * later. Returns a function that stops; it resolves when the running task has ended.
 */
export function startCleaning(logger: Logger, ...tasks: readonly (() => Promise<unknown>)[]): () => Promise<void> {
  let isStopped = false;
  let cleaning: Promise<void> | undefined;
  const clean = async () => {
    for (const task of tasks) {
      if (isStopped) return;
      await task().catch((err: unknown) => logger.warn({ err }, 'expired rows not deleted'));
    }
  };
  const timer = setInterval(() => {
    cleaning ??= clean().finally(() => (cleaning = undefined));
  }, HOUR_MS);
  return async () => {
    isStopped = true;
    clearInterval(timer);
    await cleaning;
  };
}
