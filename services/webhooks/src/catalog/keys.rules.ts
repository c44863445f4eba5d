interface Keyed {
  readonly item: { readonly key: string | null; readonly isActive?: boolean };
}
type Named<Found extends Keyed> = Found & { readonly item: Found['item'] & { readonly key: string } };

/**
 * Returns what has a key, one of each: the newest active one, else the newest. A price that was replaced has the key of the one
 * after it.
 * @param items in the order of their creation
 */
export const newestByKey = <Found extends Keyed>(items: readonly Found[]): Named<Found>[] =>
  newestBy(items.filter(isNamed), ({ item }) => item.key);

/** The same of promotion codes, by their text: upper and lower case are alike. */
export const newestByText = <Found extends { readonly item: { readonly code: string; readonly isActive: boolean } }>(
  codes: readonly Found[],
): Found[] => newestBy(codes, ({ item }) => item.code.toLowerCase());

function newestBy<Found extends { readonly item: { readonly isActive?: boolean } }>(
  items: readonly Found[],
  keyOf: (found: Found) => string,
): Found[] {
  const newest = new Map<string, Found>();
  for (const found of items) {
    const before = newest.get(keyOf(found));
    if (!before || found.item.isActive !== false || before.item.isActive === false) newest.set(keyOf(found), found);
  }
  return [...newest.values()];
}

const isNamed = <Found extends Keyed>(found: Found): found is Named<Found> => found.item.key !== null;
