import type { Logger } from 'pino';

const HOUR_MS = 3_600_000;

/** Deletes expired rows; resolves to true when there may be more, and it should run again at once. */
export type CleaningTask = () => Promise<unknown>;

/**
 * Runs `tasks` every hour, one after another. A task that fails is logged and runs again an hour later. Returns a function
 * that stops; it resolves when the running task has ended.
 */
export function startCleaning(logger: Logger, ...tasks: readonly CleaningTask[]): () => Promise<void> {
  const stopping = new AbortController();
  let cleaning: Promise<void> | undefined;
  const runAll = async (task: CleaningTask) => {
    for (let hasMore = true; hasMore && !stopping.signal.aborted;) hasMore = (await task()) === true;
  };
  const clean = async () => {
    for (const task of tasks)
      await runAll(task).catch((err: unknown) => logger.warn({ err }, 'expired rows not deleted'));
  };
  const timer = setInterval(() => {
    cleaning ??= clean().finally(() => (cleaning = undefined));
  }, HOUR_MS);
  return async () => {
    stopping.abort();
    clearInterval(timer);
    await cleaning;
  };
}
