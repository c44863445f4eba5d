/** Lets one loop wait for others to call it. */
export function openBell() {
  let [endPause, hasRung] = [(): void => undefined, false];
  return {
    ring: (): void => {
      hasRung = true;
      endPause();
    },
    /** Forgets the calls so far. */
    reset: (): void => void (hasRung = false),
    hasRung: () => hasRung,
    /** Waits for a call, at most so many milliseconds; not at all when there was one since the last `reset`. */
    wait: (ms: number) =>
      new Promise<void>(resolve => {
        if (hasRung) return resolve();
        const timer = setTimeout(resolve, ms);
        endPause = () => (clearTimeout(timer), resolve());
      }),
  };
}
