import type { Holding } from './delivery-rows.ts';

/** Events of one endpoint that later ones of their object wait for, until they are settled. */
export interface HoldingEvents {
  readonly add: (holding: Holding) => void;
  /** Takes one out that is settled; true when others of its object wait. */
  readonly remove: (item: Pick<Holding, 'position' | 'objectKey'>) => boolean;
  readonly has: (item: Pick<Holding, 'position' | 'objectKey'>) => boolean;
  /** Until when an event waits: for the earlier ones of its object, but for those that are about to be sent before it. */
  readonly until: (
    item: Pick<Holding, 'position' | 'objectKey'>,
    isAboutToBeSent: (position: number) => boolean,
  ) => Date | undefined;
}

export function openHolding(initial: readonly Holding[]): HoldingEvents {
  const byObject = new Map<string, Map<number, Date>>();
  const add = ({ objectKey, position, until }: Holding): void => {
    const ofObject = byObject.get(objectKey) ?? new Map<number, Date>();
    byObject.set(objectKey, ofObject.set(position, until));
  };
  for (const one of initial) add(one);
  return {
    add,
    remove({ position, objectKey }) {
      const ofObject = byObject.get(objectKey);
      ofObject?.delete(position);
      if (ofObject?.size === 0) byObject.delete(objectKey);
      return byObject.has(objectKey);
    },
    has: ({ position, objectKey }) => byObject.get(objectKey)?.has(position) ?? false,
    until({ position, objectKey }, isAboutToBeSent) {
      let latest: Date | undefined;
      for (const [earlier, until] of byObject.get(objectKey) ?? [])
        if (earlier < position && !isAboutToBeSent(earlier) && (!latest || until > latest)) latest = until;
      return latest;
    },
  };
}
