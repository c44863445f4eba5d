/** An event that is to be sent to an endpoint. */
interface Chained {
  readonly position: number;
  /** Events of one object are sent one after the other. */
  readonly objectKey: string;
}

/** What waits to be sent to one endpoint. */
export interface Chains<Item extends Chained> {
  readonly add: (item: Item) => void;
  /** Takes the first event whose object has none on its way. */
  readonly next: () => Item | undefined;
  /** The first events that wait, whatever is on its way. */
  readonly first: (count: number) => readonly Item[];
  /** Whether `next` would return one. */
  readonly hasNext: () => boolean;
  /** The event of an object that was on its way has ended; the object's next one may be taken. */
  readonly settle: (objectKey: string) => void;
  /** Takes out what waits behind an event of the object, in order. */
  readonly takeBehind: (objectKey: string) => readonly Item[];
  readonly waiting: () => number;
}

/** Opens the order in which one endpoint gets its events: by position, those of an object one after the other. */
export function openChains<Item extends Chained>(): Chains<Item> {
  const waiting: Item[] = [];
  const busy = new Set<string>();
  return {
    add(item) {
      let place = waiting.length;
      while (place > 0 && (waiting[place - 1]?.position ?? 0) > item.position) place -= 1;
      waiting.splice(place, 0, item);
    },
    next() {
      const place = waiting.findIndex(({ objectKey }) => !busy.has(objectKey));
      const [item] = place < 0 ? [] : waiting.splice(place, 1);
      if (item) busy.add(item.objectKey);
      return item;
    },
    first: count => waiting.slice(0, count),
    hasNext: () => waiting.some(({ objectKey }) => !busy.has(objectKey)),
    settle: objectKey => void busy.delete(objectKey),
    takeBehind(objectKey) {
      const behind = waiting.filter(item => item.objectKey === objectKey);
      const others = waiting.filter(item => item.objectKey !== objectKey);
      waiting.splice(0, waiting.length, ...others);
      return behind;
    },
    waiting: () => waiting.length,
  };
}
