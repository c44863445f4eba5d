/**
 * Hands rows that a process has just inserted and leased to the loop of the same process, so that it need not read them
 * back. Rows for which there is no room, and those of a process that died, are found in the table. Groups of rows, for
 * example those of a team, take turns.
 */
export interface LeaseQueue<Item> {
  /**
   * Whether there is room in memory for another row, of this group if one is named; insert rows unleased otherwise, and call
   * `missed`.
   */
  readonly hasRoom: (group?: string) => boolean;
  /** Adds rows whose transaction has committed; `leasedAt` is by the process's monotonic clock in milliseconds. */
  add(items: readonly Item[], leasedAt: number): void;
  /** Rows were committed that only the table holds, or may be leased now. */
  readonly missed: () => void;
  /**
   * Takes up to `limit` rows that are `maxSize` characters together, or any unless given, of each group the oldest first and at
   * least one; those whose lease is about to end are left to the table.
   */
  take(limit: number, maxSize?: number): Item[];
  /** Leases up to `limit` rows: from memory, or the next time from the table too when that may hold some. */
  lease(limit: number, table: LeaseSource<Item>): Promise<readonly Item[]>;
  /** `listener` runs whenever there is something to take, or to look for. */
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
/** Of one group, so that its large rows leave room for the others. */
const MAX_SIZE_OF_GROUP = 4 * 1_048_576;
/** Of one batch, but for the first row of each group. */
const MAX_SIZE_OF_BATCH = 4 * 1_048_576;
/** The table may hold more for so long after it was known to hold rows: each look may have found no room for them. */
const RECENT_MS = 1_000;

interface Waiting<Item> {
  readonly item: Item;
  readonly leasedAt: number;
}

interface Group<Item> {
  readonly waiting: Waiting<Item>[];
  size: number;
}

/** Opens the queue between the transactions of a process and its lease loop. */
export function openLeaseQueue<Item>({
  maxAgeMs,
  sizeOf,
  groupOf = () => '',
  now = () => performance.now(),
}: LeaseQueueOptions<Item>): LeaseQueue<Item> {
  const groups = new Map<string, Group<Item>>();
  let count = 0;
  let size = 0;
  let heldRowsAt = now();
  let readAt = -Infinity;
  let isTablesTurn = false;
  let notify: () => void = () => undefined;

  const takeOf = (group: Group<Item>, limit: number, room: number): Waiting<Item>[] => {
    let [end, taken] = [0, 0];
    for (const { item } of group.waiting.slice(0, limit)) {
      if (end > 0 && taken + sizeOf(item) > room) break;
      taken += sizeOf(item);
      end += 1;
    }
    group.size -= taken;
    size -= taken;
    count -= end;
    return group.waiting.splice(0, end);
  };

  const take = (limit: number, maxSize = Infinity): Item[] => {
    const taken: Waiting<Item>[] = [];
    const before = size;
    const smallestFirst = [...groups].toSorted(([, a], [, b]) => a.size - b.size);
    for (const [index, [name, group]] of smallestFirst.entries()) {
      // What a small group leaves of its part goes to the others.
      const groupsLeft = smallestFirst.length - index;
      const part = Math.ceil((limit - taken.length) / groupsLeft);
      taken.push(...takeOf(group, part, (maxSize - (before - size)) / groupsLeft));
      if (group.waiting.length === 0) groups.delete(name);
    }
    const oldest = now() - maxAgeMs;
    return taken.flatMap(({ item, leasedAt }) => (leasedAt > oldest ? [item] : []));
  };

  return {
    hasRoom: group =>
      count <= MAX_ITEMS &&
      size <= MAX_SIZE &&
      (group === undefined || (groups.get(group)?.size ?? 0) <= MAX_SIZE_OF_GROUP),
    add(items, leasedAt) {
      for (const item of items) {
        const group = groups.get(groupOf(item)) ?? { waiting: [], size: 0 };
        groups.set(groupOf(item), group);
        group.waiting.push({ item, leasedAt });
        group.size += sizeOf(item);
        size += sizeOf(item);
      }
      count += items.length;
      if (items.length > 0) notify();
    },
    missed() {
      heldRowsAt = now();
      notify();
    },
    take,
    async lease(limit, { leaseDue, intervalMs }) {
      const own = take(limit, MAX_SIZE_OF_BATCH);
      const isOverdue = now() - readAt >= intervalMs;
      const mayHoldRows = now() - heldRowsAt < RECENT_MS && own.length < limit;
      const isWanted = isOverdue || mayHoldRows;
      // What is at hand does not wait for the table, whose turn is the next one.
      const goesFirst = own.length > 0 && !isTablesTurn;
      isTablesTurn = isWanted && goesFirst;
      if (!isWanted || goesFirst) return own;
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
