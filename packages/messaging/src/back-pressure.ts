import type { EntityManager } from '@mikro-orm/postgresql';
import type { Logger } from 'pino';

/** A full outbox must have drained to this share of its mark before it counts as no longer full. */
const LOW_WATER = 0.8;

interface BackPressureOptions {
  /** Unpublished facts; with more of them the outbox is full. */
  readonly highWater: number;
  /** How often to look, in milliseconds. */
  readonly intervalMs?: number;
  readonly logger: Logger;
}

/** Whether too many facts wait in the outbox. */
export interface BackPressure {
  /** As of the last look; false before the first. */
  readonly isOverloaded: () => boolean;
  /** Looks no more; fulfilled when the look under way has ended. */
  readonly close: () => Promise<void>;
}

/**
 * Watches until closed how many facts of the outbox are unpublished, counting no further than it must. It is full above
 * `highWater`, and no longer full at 80 % of that. While the database is away the last answer stays.
 */
export function watchBackPressure(
  em: EntityManager,
  { highWater, intervalMs = 1_000, logger }: BackPressureOptions,
): BackPressure {
  const lowWater = Math.floor(highWater * LOW_WATER);
  let full = false;
  let failed = false;
  let looking: Promise<void> | undefined;

  const look = async (): Promise<void> => {
    const isAbove = await hasMoreThan(em, full ? lowWater : highWater);
    failed = false;
    if (isAbove === full) return;
    full = isAbove;
    if (full) logger.warn({ highWater }, 'outbox full, writes are refused until it has drained');
    else logger.info({ highWater }, 'outbox drained, writes are taken again');
  };
  const lookOnce = () => {
    looking ??= look()
      .catch((err: unknown) => {
        if (!failed) logger.warn({ err }, 'outbox not counted, will try again');
        failed = true;
      })
      .finally(() => (looking = undefined));
  };
  lookOnce();
  const timer = setInterval(lookOnce, intervalMs);

  return {
    isOverloaded: () => full,
    async close() {
      clearInterval(timer);
      await looking;
    },
  };
}

async function hasMoreThan(em: EntityManager, count: number): Promise<boolean> {
  const [row] = await em
    .fork()
    .execute<{ more: boolean }[]>(
      'select exists (select from outbox_events where due_at is not null offset ?) as more',
      [count],
    );
  return row?.more ?? false;
}
