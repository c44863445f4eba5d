import type { EntityManager } from '@mikro-orm/postgresql';
import type { Logger } from 'pino';
import { openBell } from './bell.ts';
import { lingerAfter } from './linger.ts';

/** How long the pauses after failures get, and those of an idle loop, in milliseconds. */
const LONGEST_PAUSE_MS = 5_000;
/** How long after the last work or call a loop is idle, in milliseconds. */
const IDLE_AFTER_MS = 10_000;

export interface LeaseLoopOptions<Row> {
  /** For log messages, for example `outbox`. */
  readonly name: string;
  /** Rows to lease at once. */
  readonly batchSize: number;
  /** Leases up to `limit` due rows. */
  readonly lease: (limit: number) => Promise<readonly Row[]>;
  /** Works on one batch; it releases or finishes its rows itself. What it leaves leased is due again when the lease ends. */
  readonly work: (rows: readonly Row[]) => Promise<void>;
  /** Works on each row by itself, so many rows at the same time, instead of on the batch as a whole. */
  readonly parallel?: number;
  /**
   * How long to wait before looking again when nothing was due, in milliseconds. An idle loop waits for 5 s: what this process
   * leaves it is called for, and what others leave waits for the end of a lease anyway.
   */
  readonly intervalMs: number;
  /** Whose transactions leave work without a call: the loop is not idle after a commit. */
  readonly commitsOf?: EntityManager;
  readonly logger: Logger;
}

/** A loop that is running. */
export interface LeaseLoop {
  /** Looks for due rows at once. */
  readonly wake: () => void;
  /** Stops leasing; fulfilled when the work under way has ended. */
  readonly stop: () => Promise<void>;
}

/**
 * Leases due rows and works on them until stopped: the one loop behind everything that must happen although a process
 * dies. Any number of loops may run side by side, in one process or many. Failures are logged and tried again with
 * growing pauses.
 */
export function startLeaseLoop<Row>(options: LeaseLoopOptions<Row>): LeaseLoop {
  const { name, batchSize, lease, work, parallel, intervalMs, commitsOf, logger } = options;
  const stopping = new AbortController();
  const underWay = new Set<Promise<void>>();
  const bell = openBell();
  let activeAt = performance.now();
  const isIdle = () => performance.now() - activeAt > IDLE_AFTER_MS;

  const workOnBatch = async (): Promise<number> => {
    const rows = await lease(batchSize);
    if (rows.length > 0) await work(rows);
    return rows.length;
  };
  const workInParallel = async (limit: number): Promise<number> => {
    while (underWay.size >= limit) await Promise.race(underWay);
    const rows = await lease(Math.min(batchSize, limit - underWay.size));
    for (const row of rows) {
      const working: Promise<void> = work([row])
        .catch((err: unknown) => logger.warn({ err, loop: name }, 'leased work failed, will try again'))
        .finally(() => underWay.delete(working));
      underWay.add(working);
    }
    return rows.length;
  };

  /** Returns how many rows were leased. */
  const workOnce = () => (parallel === undefined ? workOnBatch() : workInParallel(parallel));

  const run = async (): Promise<void> => {
    let failures = 0;
    while (!stopping.signal.aborted) {
      const startedAt = performance.now();
      if (bell.hasRung()) activeAt = startedAt;
      bell.reset();
      try {
        const count = await workOnce();
        failures = 0;
        if (count > 0) activeAt = performance.now();
        if (count === 0) await bell.wait(isIdle() ? Math.max(intervalMs, LONGEST_PAUSE_MS) : intervalMs);
        else if (count < batchSize) await lingerAfter(performance.now() - startedAt);
      } catch (err) {
        failures += 1;
        logger.warn({ err, loop: name, failures }, 'leased work failed, will try again');
        bell.reset();
        if (!stopping.signal.aborted) await bell.wait(Math.min(intervalMs * 2 ** failures, LONGEST_PAUSE_MS));
      }
    }
    await Promise.allSettled(underWay);
  };
  const running = run();
  const onCommit = (): void => {
    if (isIdle()) bell.ring();
    activeAt = performance.now();
  };
  commitsOf?.getEventManager().registerSubscriber({ afterTransactionCommit: onCommit });

  return {
    wake: bell.ring,
    stop: async () => {
      stopping.abort();
      bell.ring();
      await running;
    },
  };
}
