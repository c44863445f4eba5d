/**
 * Hands rows that a process has just inserted and leased to the loop of the same process, so that it need not read them
 * back. Rows for which there is no room, and those of a process that died, are found in the table.
 */
export interface LeaseQueue<Item> {
  /** Whether there is room in memory; insert rows unleased otherwise, and call `missed`. */
  hasRoom(): boolean;
  /** Adds rows whose transaction has committed; `leasedAt` is by the process's monotonic clock in milliseconds. */
  add(items: readonly Item[], leasedAt: number): void;
  /** Rows were committed that only the table holds. */
  missed(): void;
  /** Takes up to `limit` rows, the oldest first; those whose lease is about to end are left to the table. */
  take(limit: number): Item[];
  /** Leases rows from memory, or from the table when there may be some: after `missed`, and every `intervalMs`. */
  lease(
    limit: number,
    table: { leaseDue: (limit: number) => Promise<readonly Item[]>; intervalMs: number },
  ): Promise<readonly Item[]>;
  /** `listener` runs whenever there is something to take or to read. */
  onAdd(listener: () => void): void;
}

interface LeaseQueueOptions<Item> {
  /** How long after the lease began a row may still be taken, in milliseconds. */
  readonly maxAgeMs: number;
  /** The size of a row in memory, in characters. */
  readonly sizeOf: (item: Item) => number;
}

const MAX_ITEMS = 4_000;
const MAX_SIZE = 16 * 1_048_576;

/** Opens the queue between the transactions of a process and its lease loop. */
export function openLeaseQueue<Item>({ maxAgeMs, sizeOf }: LeaseQueueOptions<Item>): LeaseQueue<Item> {
  let waiting: { readonly item: Item; readonly leasedAt: number }[] = [];
  let size = 0;
  let mayHoldMore = true;
  let readAt = 0;
  let notify: () => void = () => undefined;

  const take = (limit: number): Item[] => {
    const taken = waiting.slice(0, limit);
    waiting = waiting.slice(taken.length);
    for (const { item } of taken) size -= sizeOf(item);
    const oldest = performance.now() - maxAgeMs;
    return taken.flatMap(({ item, leasedAt }) => (leasedAt > oldest ? [item] : []));
  };

  return {
    hasRoom: () => waiting.length <= MAX_ITEMS && size <= MAX_SIZE,
    add(items, leasedAt) {
      for (const item of items) {
        waiting.push({ item, leasedAt });
        size += sizeOf(item);
      }
      if (items.length > 0) notify();
    },
    missed() {
      mayHoldMore = true;
      notify();
    },
    take,
    async lease(limit, { leaseDue, intervalMs }) {
      const own = take(limit);
      const isOverdue = performance.now() - readAt >= intervalMs;
      if (!isOverdue && !(mayHoldMore && own.length < limit)) return own;
      readAt = performance.now();
      mayHoldMore = false;
      try {
        const found = await leaseDue(limit);
        mayHoldMore ||= found.length > 0;
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
