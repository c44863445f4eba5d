/**
 * Hands rows that a process has just inserted and leased to the loop of the same process, so that it need not read them
 * back. Rows for which there is no room, and those of a process that died, are found in the table. Groups of rows, for
 * example those of a team, take turns.
 */
export interface LeaseQueue<Item> {
  /** Whether there is room in memory for another row; insert rows unleased otherwise, and call `missed`. */
  readonly hasRoom: () => boolean;
  /** Adds rows whose transaction has committed; `leasedAt` is by the process's monotonic clock in milliseconds. */
  add(items: readonly Item[], leasedAt: number): void;
  /** Rows were committed that only the table holds. */
  readonly missed: () => void;
  /** Takes up to `limit` rows, of each group the oldest first; those whose lease is about to end are left to the table. */
  take(limit: number): Item[];
  /** Leases up to `limit` rows: from memory, and from the table when there may be some. */
  lease(limit: number, table: LeaseSource<Item>): Promise<readonly Item[]>;
  /** `listener` runs whenever there is something to take. */
  onAdd(listener: () => void): void;
}

/** Where the rows are that are not in memory. */
interface LeaseSource<Item> {
  readonly leaseDue: (limit: number) => Promise<readonly Item[]>;
  /** How often to look into the table when nothing says that it holds rows, in milliseconds. */
  readonly intervalMs: number;
}

interface LeaseQueueOptions<Item> {
  /** How long after the lease began a row may still be taken, in milliseconds. */
  readonly maxAgeMs: number;
  /** The size of a row in memory, in characters. */
  readonly sizeOf: (item: Item) => number;
  /** The group of a row; all rows are one group unless given. */
  readonly groupOf?: (item: Item) => string;
  /** The process's monotonic clock, in milliseconds. */
  readonly now?: () => number;
}

const MAX_ITEMS = 4_000;
const MAX_SIZE = 16 * 1_048_576;
/** The table may hold more for so long after it was known to hold rows: each look may have found no room for them. */
const RECENT_MS = 1_000;

interface Waiting<Item> {
  readonly item: Item;
  readonly leasedAt: number;
}

/** Opens the queue between the transactions of a process and its lease loop. */
export function openLeaseQueue<Item>({
  maxAgeMs,
  sizeOf,
  groupOf = () => '',
  now = () => performance.now(),
}: LeaseQueueOptions<Item>): LeaseQueue<Item> {
  const groups = new Map<string, Waiting<Item>[]>();
  let count = 0;
  let size = 0;
  let heldRowsAt = now();
  let readAt = -Infinity;
  let notify: () => void = () => undefined;

  const take = (limit: number): Item[] => {
    const taken: Waiting<Item>[] = [];
    const smallestFirst = [...groups].toSorted(([, a], [, b]) => a.length - b.length);
    for (const [index, [name, waiting]] of smallestFirst.entries()) {
      // What a small group leaves of its part goes to the others.
      const part = Math.ceil((limit - taken.length) / (smallestFirst.length - index));
      taken.push(...waiting.splice(0, part));
      if (waiting.length === 0) groups.delete(name);
    }
    count -= taken.length;
    size -= taken.reduce((sum, { item }) => sum + sizeOf(item), 0);
    const oldest = now() - maxAgeMs;
    return taken.flatMap(({ item, leasedAt }) => (leasedAt > oldest ? [item] : []));
  };

  return {
    hasRoom: () => count <= MAX_ITEMS && size <= MAX_SIZE,
    add(items, leasedAt) {
      for (const item of items) {
        const group = groups.get(groupOf(item)) ?? [];
        groups.set(groupOf(item), group);
        group.push({ item, leasedAt });
        size += sizeOf(item);
      }
      count += items.length;
      if (items.length > 0) notify();
    },
    missed() {
      heldRowsAt = now();
    },
    take,
    async lease(limit, { leaseDue, intervalMs }) {
      const own = take(limit);
      const isOverdue = now() - readAt >= intervalMs;
      const mayHoldRows = now() - heldRowsAt < RECENT_MS && own.length < limit;
      if (!isOverdue && !mayHoldRows) return own;
      readAt = now();
      try {
        const found = await leaseDue(isOverdue ? limit : limit - own.length);
        if (found.length > 0) heldRowsAt = now();
        return [...own, ...found];
      } catch (err) {
        heldRowsAt = now();
        if (own.length === 0) throw err;
        return own;
      }
    },
    onAdd(listener) {
      notify = listener;
    },
  };
}
