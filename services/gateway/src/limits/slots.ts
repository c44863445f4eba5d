/** Limits how much runs at the same time, for each key by itself. */
export interface Slots {
  /**
   * Waits until fewer than `slots` run for the key; returns a function that ends this run. Undefined: too many wait.
   */
  enter(key: string, slots: number): Promise<(() => void) | undefined>;
}

interface Line {
  running: number;
  readonly waiting: { readonly slots: number; readonly start: () => void }[];
}

/** Creates slots, with at most `maxWaiting` that wait for each key. First come, first served. */
export function createSlots({ maxWaiting }: { readonly maxWaiting: number }): Slots {
  const lines = new Map<string, Line>();

  function leave(key: string, line: Line): void {
    line.running -= 1;
    while (line.waiting[0] && line.running < line.waiting[0].slots) {
      line.running += 1;
      line.waiting.shift()?.start();
    }
    if (line.running === 0) lines.delete(key);
  }

  return {
    async enter(key, slots) {
      const line = lines.get(key) ?? { running: 0, waiting: [] };
      lines.set(key, line);
      if (line.waiting.length === 0 && line.running < slots) line.running += 1;
      else if (line.waiting.length >= maxWaiting) return undefined;
      else await new Promise<void>(start => line.waiting.push({ slots, start }));
      let hasLeft = false;
      return () => {
        if (hasLeft) return;
        hasLeft = true;
        leave(key, line);
      };
    },
  };
}
