/**
 * Hands rows that a process has just inserted and leased to the loop of the same process, so that it need not read them
 * back. Rows for which there is no room, and those of a process that died, are found in the table. Groups of rows, for
 * example those of a team, take turns: none can fill the memory, or delay the others.
 */
export interface LeaseQueue<Item> {
  /** Whether there is room in memory for another row of the group; insert rows unleased otherwise, and call `missed`. */
  hasRoom(group?: string): boolean;
  /** Adds rows whose transaction has committed; `leasedAt` is by the process's monotonic clock in milliseconds. */
  add(items: readonly Item[], leasedAt: number): void;
  /** Rows were committed that only the table holds. */
  missed(): void;
  /**
   * Takes rows that together weigh up to `limit`, of each group the oldest first and no more than it has room for; those
   * whose lease is about to end are left to the table.
   */
  take(limit: number, roomOf?: (group: string) => number): Item[];
  /** Leases rows from memory, or from the table when there may be some: after `missed`, and every `intervalMs`. */
  lease(limit: number, source: LeaseSource<Item>): Promise<readonly Item[]>;
  /** `listener` runs whenever there is something to take or to read. */
  onAdd(listener: () => void): void;
}

/** Where the rows are that are not in memory, and how many to take of each group. */
interface LeaseSource<Item> {
  /** `own` are the rows that were taken from memory at the same time. */
  readonly leaseDue: (limit: number, own: readonly Item[]) => Promise<readonly Item[]>;
  /** How often to look into the table, in milliseconds. */
  readonly intervalMs: number;
  /** How soon to look again after it had nothing, in milliseconds; at once unless given. */
  readonly pauseMs?: number;
  /** How many rows of a group may be taken now; any number unless given. */
  readonly roomOf?: (group: string) => number;
  /** Whether some group has no room left beside `own`: the table may hold more than `leaseDue` returns. False unless given. */
  readonly isLimited?: (own: readonly Item[]) => boolean;
}

interface LeaseQueueOptions<Item> {
  /** How long after the lease began a row may still be taken, in milliseconds. */
  readonly maxAgeMs: number;
  /** The size of a row in memory, in characters. */
  readonly sizeOf: (item: Item) => number;
  /** The group of a row; all rows are one group unless given. */
  readonly groupOf?: (item: Item) => string;
  /** For how many rows one counts in a batch; 1 unless given. */
  readonly weigh?: (item: Item) => number;
  /** Rows that may become one while they wait; none unless given. */
  readonly merging?: Merging<Item>;
}

/** How rows that wait become one. */
export interface Merging<Item> {
  /** Two rows of a group with the same key may become one; null for a row that stays alone. */
  readonly keyOf: (item: Item) => string | null;
  /** Returns the one row, which takes the place and the lease of the waiting one; null when both must stay. */
  readonly merge: (waiting: Item, added: Item) => Item | null;
}

const MAX_ITEMS = 4_000;
const MAX_SIZE = 16 * 1_048_576;
/** The part of the memory that one of several groups may fill. */
const MAX_SHARE = 0.75;
const ONLY_GROUP = '';

interface Waiting<Item> {
  item: Item;
  readonly leasedAt: number;
  /** Under which a row that is added may become one with this. */
  readonly key: string | null;
}

interface Group<Item> {
  waiting: Waiting<Item>[];
  readonly byKey: Map<string, Waiting<Item>>;
  size: number;
  weight: number;
}

/** Opens the queue between the transactions of a process and its lease loop. */
export function openLeaseQueue<Item>({
  maxAgeMs,
  sizeOf,
  groupOf,
  weigh = () => 1,
  merging,
}: LeaseQueueOptions<Item>): LeaseQueue<Item> {
  const groups = new Map<string, Group<Item>>();
  const share = groupOf ? MAX_SHARE : 1;
  let count = 0;
  let size = 0;
  let mayHoldMore = true;
  let hadNothing = false;
  let readAt = 0;
  let notify: () => void = () => undefined;

  const weightOf = (items: readonly Item[]) => items.reduce((sum, item) => sum + weigh(item), 0);

  const grow = (group: Group<Item>, by: { readonly size: number; readonly weight: number }): void => {
    group.size += by.size;
    group.weight += by.weight;
    size += by.size;
  };

  const addOne = (item: Item, leasedAt: number): void => {
    const name = groupOf?.(item) ?? ONLY_GROUP;
    const group = groups.get(name) ?? { waiting: [], byKey: new Map<string, Waiting<Item>>(), size: 0, weight: 0 };
    groups.set(name, group);
    const key = merging?.keyOf(item) ?? null;
    const former = key === null ? undefined : group.byKey.get(key);
    const merged = former && merging?.merge(former.item, item);
    if (merged) {
      grow(group, { size: sizeOf(merged) - sizeOf(former.item), weight: weigh(merged) - weigh(former.item) });
      former.item = merged;
      return;
    }
    const one = { item, leasedAt, key };
    group.waiting.push(one);
    if (key !== null) group.byKey.set(key, one);
    grow(group, { size: sizeOf(item), weight: weigh(item) });
    count += 1;
  };

  const takeFrom = (name: string, group: Group<Item>, limit: number): Item[] => {
    let weight = 0;
    let end = 0;
    // The last one may exceed the limit: a row that is heavier than any limit has to go some time.
    for (const { item } of group.waiting) {
      if (weight >= limit) break;
      weight += weigh(item);
      end += 1;
    }
    const taken = group.waiting.slice(0, end);
    group.waiting = group.waiting.slice(end);
    for (const one of taken) if (one.key !== null && group.byKey.get(one.key) === one) group.byKey.delete(one.key);
    grow(group, { size: -taken.reduce((sum, { item }) => sum + sizeOf(item), 0), weight: -weight });
    count -= taken.length;
    if (group.waiting.length === 0) groups.delete(name);
    const oldest = performance.now() - maxAgeMs;
    return taken.flatMap(({ item, leasedAt }) => (leasedAt > oldest ? [item] : []));
  };

  const take = (limit: number, roomOf: (group: string) => number = () => Infinity): Item[] => {
    const taken: Item[] = [];
    let left = limit;
    // The lightest first: what they leave of their part goes to the others.
    const inTurn = [...groups].toSorted(([, a], [, b]) => a.weight - b.weight);
    for (const [index, [name, group]] of inTurn.entries()) {
      if (left <= 0) break;
      const part = Math.ceil(left / (inTurn.length - index));
      const own = takeFrom(name, group, Math.min(part, roomOf(name)));
      left -= weightOf(own);
      taken.push(...own);
    }
    return taken;
  };

  return {
    hasRoom(name = ONLY_GROUP) {
      const group = groups.get(name);
      const isFull = count > MAX_ITEMS || size > MAX_SIZE;
      return !isFull && (!group || (group.waiting.length <= MAX_ITEMS * share && group.size <= MAX_SIZE * share));
    },
    add(items, leasedAt) {
      for (const item of items) addOne(item, leasedAt);
      if (items.length > 0) notify();
    },
    missed() {
      mayHoldMore = true;
      notify();
    },
    take,
    async lease(limit, { leaseDue, intervalMs, pauseMs = 0, roomOf, isLimited = () => false }) {
      const own = take(limit, roomOf);
      const left = limit - weightOf(own);
      const sinceMs = performance.now() - readAt;
      const isOverdue = sinceMs >= intervalMs;
      const isPausing = hadNothing && sinceMs < pauseMs;
      if (!isOverdue && (isPausing || !mayHoldMore || left <= 0)) return own;
      readAt = performance.now();
      mayHoldMore = isLimited(own);
      try {
        const found = await leaseDue(isOverdue ? limit : left, own);
        hadNothing = found.length === 0;
        mayHoldMore ||= !hadNothing;
        return [...own, ...found];
      } catch (err) {
        mayHoldMore = true;
        if (own.length === 0) throw err;
        return own;
      }
    },
    onAdd(listener) {
      notify = listener;
    },
  };
}
