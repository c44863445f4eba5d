import { openBell } from './bell.ts';

interface WatchOptions<Item, Found> {
  /** Reads what there is of each item now, in their order. What fails is read again at the next look. */
  readonly read: (items: readonly Item[]) => Promise<readonly Found[]>;
  /** How often to look while somebody waits, in milliseconds. */
  readonly intervalMs: number;
}

interface Waiter<Item, Found> {
  readonly item: Item;
  readonly onFound: (found: Found) => void;
}

/** Looks for what many requests of this process wait for. */
export interface SharedWatch<Item, Found> {
  /** Looks at once, if anybody waits for such an item: it may have come. */
  readonly look: (isSuch: (item: Item) => boolean) => void;
  /** How many wait. */
  readonly waiting: () => number;
  /** Returns what there is of an item once it is `isSo`, and when the signal ends the wait what was found last, if anything. */
  readonly until: (item: Item, isSo: (found: Found) => boolean, end: AbortSignal) => Promise<Found | undefined>;
}

/** Opens a watch: one read at a time for all that wait together, and none while nobody waits. */
export function openSharedWatch<Item, Found>({
  read,
  intervalMs,
}: WatchOptions<Item, Found>): SharedWatch<Item, Found> {
  const waiting = new Set<Waiter<Item, Found>>();
  const bell = openBell();
  let isLooking = false;

  const lookWhileAnyWait = async (): Promise<void> => {
    if (isLooking) return;
    isLooking = true;
    while (waiting.size > 0) {
      bell.reset();
      const waiters = [...waiting];
      const found = await read(waiters.map(({ item }) => item)).catch(() => []);
      for (const [index, one] of found.entries()) waiters[index]?.onFound(one);
      if (waiting.size > 0) await bell.wait(intervalMs);
    }
    isLooking = false;
  };

  return {
    look(isSuch) {
      if ([...waiting].some(({ item }) => isSuch(item))) bell.ring();
    },
    waiting: () => waiting.size,
    until: (item, isSo, end) =>
      new Promise(resolve => {
        let last: Found | undefined;
        const finish = (): void => {
          waiting.delete(waiter);
          end.removeEventListener('abort', finish);
          resolve(last);
        };
        const waiter = {
          item,
          onFound: (found: Found): void => {
            last = found;
            if (isSo(found)) finish();
          },
        };
        if (end.aborted) return resolve(undefined);
        end.addEventListener('abort', finish);
        waiting.add(waiter);
        bell.ring();
        void lookWhileAnyWait();
      }),
  };
}
