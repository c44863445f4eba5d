import type { StoredBody } from './delivery-rows.ts';

/** The bodies of what one endpoint is sent, of which those that are needed soon are read with the one that is needed now. */
export interface Bodies {
  /** Returns the body of an event, undefined when it is gone; `next` are the positions that are likely to follow. */
  readonly take: (position: number, next: readonly number[]) => Promise<StoredBody | undefined>;
  /** An event is not sent for now. */
  readonly forget: (position: number) => void;
}

export function openBodies(read: (positions: readonly number[]) => Promise<ReadonlyMap<number, StoredBody>>): Bodies {
  const known = new Map<number, Promise<ReadonlyMap<number, StoredBody>>>();
  return {
    async take(position, next) {
      const unread = next.filter(one => !known.has(one));
      const isKnown = known.has(position);
      if (!isKnown || unread.length > next.length / 2) {
        const wanted = isKnown ? unread : [position, ...unread];
        const found = read(wanted);
        // Whoever takes one learns of it.
        found.catch(() => undefined);
        for (const one of wanted) known.set(one, found);
      }
      const found = known.get(position);
      known.delete(position);
      return (await found)?.get(position);
    },
    forget: position => void known.delete(position),
  };
}
