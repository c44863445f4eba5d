import type { StoredBody } from './delivery-rows.ts';

/** The bodies of what one endpoint is sent, of which those that are needed soon are read with the one that is needed now. */
interface Bodies {
  /** Returns the body of an event, undefined when it is gone; `next` are the positions that are likely to follow. */
  readonly take: (position: number, next: readonly number[]) => Promise<StoredBody | undefined>;
  /** An event is not sent for now. */
  readonly forget: (position: number) => void;
  readonly close: () => void;
}

/** Events of this process that are read ahead: 4 MiB, if each is as long as an event may be. */
const MAX_AHEAD = 64;

/** Opens what reads bodies for the endpoints of this process, which read ahead only so many together. */
export function openReadAhead() {
  let ahead = 0;
  return (read: (positions: readonly number[]) => Promise<ReadonlyMap<number, StoredBody>>): Bodies => {
    const known = new Map<number, Promise<ReadonlyMap<number, StoredBody>>>();
    const forget = (position: number): void => {
      if (known.delete(position)) ahead -= 1;
    };
    return {
      async take(position, next) {
        const unread = next.filter(one => !known.has(one)).slice(0, Math.max(0, MAX_AHEAD - ahead));
        const isKnown = known.has(position);
        if (!isKnown || unread.length > next.length / 2) {
          const wanted = isKnown ? unread : [position, ...unread];
          const reading = read(wanted);
          // Whoever takes one learns of it.
          reading.catch(() => undefined);
          for (const one of wanted) known.set(one, reading);
          ahead += wanted.length;
        }
        const found = known.get(position);
        forget(position);
        return (await found)?.get(position);
      },
      forget,
      close: () => [...known.keys()].forEach(forget),
    };
  };
}
