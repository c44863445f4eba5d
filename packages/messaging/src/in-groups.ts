import { isDatabaseUnavailable, sqlState } from '@billing/service/database';
import { limited } from './limited.ts';
import { restAfter, type Rest } from './rest.ts';
import { TookTooLong } from './with-timeout.ts';

/** How many items a group has, and what they weigh together; more wait for the group after. */
const MAX_GROUP = 2_048;
const MAX_WEIGHT = 4_096;
/** A lock was not to be had, a statement was cut off: PostgreSQL's `lock_not_available` and `query_canceled`. */
const HANGING = new Set(['55P03', '57014']);
/** How many parts of a group that met something that hangs are run at the same time. */
const PARTS_AT_ONCE = 8;

interface GroupOptions<Item> {
  /** How much there is to do for an item; 1 unless told. */
  readonly weigh?: (item: Item) => number;
  /** Rests between small groups, so that the next is larger; it does not unless told. */
  readonly rest?: Rest | undefined;
  /** Groups that run at the same time. */
  readonly atOnce?: number;
}

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (err: unknown) => void;
}

const hangs = (err: unknown): boolean => err instanceof TookTooLong || HANGING.has(sqlState(err) ?? '');

/**
 * Has concurrent callers share one run: what arrives in one turn of the event loop goes together, and what arrives while
 * a run is under way waits, and is run together when that one has ended. `run` answers one result per item, in order,
 * and must do all or nothing. A group that fails is run by halves until the bad item stands alone, so that it harms
 * nobody, and one that hangs by small parts; not so while the database is away, which is nobody's fault.
 */
export function inGroups<Item, Result>(
  run: (items: readonly Item[]) => Promise<readonly Result[]>,
  { weigh = () => 1, rest, atOnce = 1 }: GroupOptions<Item> = {},
) {
  const inTurn = limited(PARTS_AT_ONCE);
  let waiting: Waiting<Item, Result>[] = [];
  let running = 0;

  const sizeOfNext = (): number => {
    let weight = 0;
    for (const [index, { item }] of waiting.entries()) {
      weight += weigh(item);
      if (index === MAX_GROUP || (index > 0 && weight > MAX_WEIGHT)) return index;
    }
    return waiting.length;
  };

  const runAll = async () => {
    if (running === atOnce) return;
    running += 1;
    while (waiting.length > 0) {
      const group = waiting.slice(0, sizeOfNext());
      waiting = waiting.slice(group.length);
      const startedAt = performance.now();
      await settle(group);
      if (rest && waiting.length < MAX_GROUP) await restAfter(performance.now() - startedAt, rest);
    }
    running -= 1;
  };

  const settle = async (group: readonly Waiting<Item, Result>[]): Promise<void> => {
    try {
      const results = await run(group.map(({ item }) => item));
      for (const [index, { resolve, reject }] of group.entries()) {
        const result = results[index];
        if (result === undefined) reject(new Error('A group gave fewer results than it had items.'));
        else resolve(result);
      }
    } catch (err) {
      if (group.length === 1 || isDatabaseUnavailable(err)) return group.forEach(({ reject }) => reject(err));
      if (hangs(err)) {
        // By halves it would hang once for each; so a few times, and most go together again. Nobody else waits for them.
        const size = Math.floor(Math.sqrt(group.length));
        for (let start = 0; start < group.length; start += size) {
          const some = group.slice(start, start + size);
          void inTurn(() => settle(some));
        }
        return;
      }
      const half = group.length >> 1;
      await settle(group.slice(0, half));
      await settle(group.slice(half));
    }
  };

  /** Answers the item's own result once its group is done. */
  return (item: Item): Promise<Result> =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (waiting.length === 1) setImmediate(() => void runAll());
    });
}
