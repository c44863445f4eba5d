/** Items that are being worked on. */
export interface InFlight<Item> {
  /** Adds an item. Call the returned function once, when the work on it has ended. */
  add(item: Item): () => void;
  /** Fulfilled once fewer than `count` items are in flight; for one caller at a time. */
  fewerThan(count: number): Promise<void>;
  items(): Item[];
}

/**
 * Keeps items while they are worked on. Unlike a `Set` it lets go of them at once: V8 grows a set into a new table, and each
 * table, with what was in it then, stays in memory as long as the ones before. Where items come and go fast, most of them
 * would have to wait for a full garbage collection.
 */
export function openInFlight<Item extends object>(): InFlight<Item> {
  const slots: (Item | undefined)[] = [];
  const free: number[] = [];
  let wait: { readonly count: number; readonly resolve: () => void } | undefined;
  const size = () => slots.length - free.length;

  const wakeUp = () => {
    if (!wait || size() >= wait.count) return;
    wait.resolve();
    wait = undefined;
  };
  return {
    add(item) {
      const slot = free.pop() ?? slots.length;
      slots[slot] = item;
      return () => {
        slots[slot] = undefined;
        free.push(slot);
        wakeUp();
      };
    },
    fewerThan: count =>
      new Promise(resolve => {
        wait = { count, resolve };
        wakeUp();
      }),
    items: () => slots.filter(item => item !== undefined),
  };
}
