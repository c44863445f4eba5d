import type { Logger } from 'pino';

const HOUR_MS = 3_600_000;

/** Does each hour what deletes rows that have had their time; a task that fails is tried an hour later. Answers the function that stops it. */
export function startCleaning(logger: Logger, ...tasks: readonly (() => Promise<unknown>)[]): () => void {
  const clean = async () => {
    for (const task of tasks) await task().catch((err: unknown) => logger.warn({ err }, 'old rows not deleted'));
  };
  const timer = setInterval(() => void clean(), HOUR_MS);
  return () => clearInterval(timer);
}
