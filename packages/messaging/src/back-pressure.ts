import type { EntityManager } from '@mikro-orm/postgresql';
import type { Logger } from 'pino';

/** The events must have drained to this share of the mark before they count as drained. */
const LOW_WATER = 0.8;

interface BackPressureOptions {
  /** Unpublished events; with more of them the service is overloaded. */
  readonly highWater: number;
  /** Tables beside the outbox whose rows with a `due_at` count too: events that are published from there. */
  readonly tables?: readonly string[];
  /** How often to count, in milliseconds. */
  readonly intervalMs?: number;
  readonly logger: Logger;
}

/** Whether too many events wait to be published. */
export interface BackPressure {
  /** As of the last count; false before the first. */
  readonly isOverloaded: () => boolean;
  /** Counts now; fulfilled when it is done, even if it failed. */
  readonly count: () => Promise<void>;
  /** Stops counting; fulfilled when the count under way has ended. */
  readonly close: () => Promise<void>;
}

/**
 * Counts the unpublished events of a service until closed, no further than it must. It is overloaded above `highWater`,
 * until they have drained to 80 % of that. While the database is unavailable the last result stays.
 */
export function watchBackPressure(
  em: EntityManager,
  { highWater, tables = [], intervalMs = 1_000, logger }: BackPressureOptions,
): BackPressure {
  const lowWater = Math.floor(highWater * LOW_WATER);
  let isOverloaded = false;
  let hasFailed = false;
  let counting: Promise<void> | undefined;

  const countOnce = async (): Promise<void> => {
    const isAbove = await hasMoreThan(em, ['outbox_events', ...tables], isOverloaded ? lowWater : highWater);
    hasFailed = false;
    if (isAbove === isOverloaded) return;
    isOverloaded = isAbove;
    if (isOverloaded) logger.warn({ highWater }, 'outbox overloaded, writes are paused until it has drained');
    else logger.info({ highWater }, 'outbox drained, writes resume');
  };
  const count = (): Promise<void> => {
    counting ??= countOnce()
      .catch((err: unknown) => {
        if (!hasFailed) logger.warn({ err }, 'outbox not counted, will try again');
        hasFailed = true;
      })
      .finally(() => (counting = undefined));
    return counting;
  };
  void count();
  const timer = setInterval(() => void count(), intervalMs);

  return {
    isOverloaded: () => isOverloaded,
    count,
    async close() {
      clearInterval(timer);
      await counting;
    },
  };
}

async function hasMoreThan(em: EntityManager, tables: readonly string[], count: number): Promise<boolean> {
  const due = tables.map(table => `select from ${table} where due_at is not null`).join(' union all ');
  const [row] = await em
    .fork()
    .execute<{ more: boolean }[]>(`select exists (select from (${due}) unpublished offset ?) as more`, [count]);
  return row?.more ?? false;
}
