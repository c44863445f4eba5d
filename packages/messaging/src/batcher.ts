import { isDatabaseUnavailable } from '@billing/database/database';
import { lingerAfter, type Linger } from '@billing/database/linger';
import { sqlState } from '@billing/database/sql-state';
import { semaphore } from './semaphore.ts';
import { TimeoutError } from './timed-transaction.ts';

/** Items of one batch, and what they weigh together; more wait for the next batch. */
const MAX_ITEMS = 2_048;
const MAX_WEIGHT = 4_096;
/** A lock was not to be had, a statement was cancelled: PostgreSQL's `lock_not_available` and `query_canceled`. */
const STUCK = new Set(['55P03', '57014']);
/** Parts of a stuck batch that run at the same time. */
const PARALLEL_PARTS = 8;

interface BatcherOptions<Item> {
  /** How much work an item is; 1 unless given. */
  readonly weigh?: (item: Item) => number;
  /** Waits for more between batches that are not full; it does not unless given. */
  readonly linger?: Linger | undefined;
  /** Batches that run at the same time. */
  readonly parallel?: number;
  /** Items of one batch at most. */
  readonly maxItems?: number;
  /** What the items of one batch weigh together at most; a heavier item comes alone. */
  readonly maxWeight?: number;
}

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (err: unknown) => void;
}

const isStuck = (err: unknown): boolean => err instanceof TimeoutError || STUCK.has(sqlState(err) ?? '');

/**
 * Gathers the items of concurrent callers into batches: what arrives in one turn of the event loop goes together, and
 * what arrives while a batch runs forms the next one. `run` returns one result per item, in order, and must do all or
 * nothing. A batch that fails is run again by halves until the bad item stands alone, and a stuck one in small parts; not
 * so while the database is unavailable, since no item is to blame then.
 */
export function openBatcher<Item, Result>(
  run: (items: readonly Item[]) => Promise<readonly Result[]>,
  { weigh = () => 1, linger, parallel = 1, maxItems = MAX_ITEMS, maxWeight = MAX_WEIGHT }: BatcherOptions<Item> = {},
) {
  const limitParts = semaphore(PARALLEL_PARTS);
  let waiting: Waiting<Item, Result>[] = [];
  let running = 0;

  const sizeOfNext = (): number => {
    let weight = 0;
    for (const [index, { item }] of waiting.entries()) {
      weight += weigh(item);
      if (index === maxItems || (index > 0 && weight > maxWeight)) return index;
    }
    return waiting.length;
  };

  const runAll = async () => {
    if (running === parallel) return;
    running += 1;
    while (waiting.length > 0) {
      const batch = waiting.slice(0, sizeOfNext());
      waiting = waiting.slice(batch.length);
      const startedAt = performance.now();
      await runBatch(batch);
      const isNextFull = waiting.length >= maxItems || sizeOfNext() < waiting.length;
      if (linger && !isNextFull) await lingerAfter(performance.now() - startedAt, linger);
    }
    running -= 1;
  };

  const runBatch = async (batch: readonly Waiting<Item, Result>[]): Promise<void> => {
    try {
      const results = await run(batch.map(({ item }) => item));
      for (const [index, { resolve, reject }] of batch.entries()) {
        const result = results[index];
        if (result === undefined) reject(new Error('A batch returned fewer results than it had items.'));
        else resolve(result);
      }
    } catch (err) {
      if (batch.length === 1 || isDatabaseUnavailable(err)) return batch.forEach(({ reject }) => reject(err));
      if (isStuck(err)) {
        // By halves it would get stuck once for each half. No other batch waits for the parts.
        const size = Math.floor(Math.sqrt(batch.length));
        for (let start = 0; start < batch.length; start += size) {
          const part = batch.slice(start, start + size);
          void limitParts(() => runBatch(part));
        }
        return;
      }
      const half = batch.length >> 1;
      await runBatch(batch.slice(0, half));
      await runBatch(batch.slice(half));
    }
  };

  /** Returns the item's own result once its batch is done. */
  return (item: Item): Promise<Result> =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (waiting.length === 1) setImmediate(() => void runAll());
    });
}
