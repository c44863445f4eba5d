/** A set of the keys that were added last. */
export interface RecentKeys {
  has(key: string): boolean;
  add(key: string): void;
  delete(key: string): void;
}

/** Creates a set that forgets the key added longest ago when it has more than `max`. */
export function recentKeys(max: number): RecentKeys {
  const keys = new Set<string>();
  return {
    has: key => keys.has(key),
    add(key) {
      keys.delete(key);
      keys.add(key);
      // A Set iterates in insertion order, so its first key is the oldest.
      if (keys.size > max) keys.delete(keys.keys().next().value ?? '');
    },
    delete: key => void keys.delete(key),
  };
}
