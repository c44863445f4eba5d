interface Keyed {
  readonly item: { readonly key: string | null; readonly isActive?: boolean };
}
type Named<Found extends Keyed> = Found & { readonly item: Found['item'] & { readonly key: string } };

/**
 * Returns what has a key, one of each: the newest active one, else the newest. A price that was replaced has the key of the one
 * after it.
 * @param items in the order of their creation
 */
export function newestByKey<Found extends Keyed>(items: readonly Found[]): Named<Found>[] {
  const newest = new Map<string, Named<Found>>();
  for (const found of items) {
    if (!isNamed(found)) continue;
    const before = newest.get(found.item.key);
    if (!before || found.item.isActive !== false || before.item.isActive === false) newest.set(found.item.key, found);
  }
  return [...newest.values()];
}

const isNamed = <Found extends Keyed>(found: Found): found is Named<Found> => found.item.key !== null;
