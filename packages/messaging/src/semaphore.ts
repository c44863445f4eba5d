interface SemaphoreOptions {
  /** How many may wait for permits; any number unless given. */
  readonly maxWaiting?: number;
  /** Makes the error for those who come while so many wait. */
  readonly refusal?: () => Error;
}

/** Limits how much runs at the same time. First come, first served. */
export interface Semaphore {
  /**
   * Runs work with a permit, as soon as there is one.
   * @throws Error the refusal, when too many wait
   */
  <Result>(work: () => Promise<Result>): Promise<Result>;
  /**
   * Takes one or more permits; whoever takes all of them runs alone. The returned function gives them back, once.
   * @throws Error the refusal, when too many wait
   */
  acquire(count?: number): Promise<() => void>;
  /** Whether nothing runs or waits. */
  isIdle(): boolean;
}

/** Opens a semaphore with so many permits. */
export function semaphore(
  permits: number,
  { maxWaiting = Infinity, refusal = () => new Error('Too many wait for a permit.') }: SemaphoreOptions = {},
): Semaphore {
  const waiting: { readonly count: number; readonly begin: () => void }[] = [];
  let free = permits;

  /** Takes permits at once, or returns a promise of them. */
  const take = (count: number): Promise<void> | undefined => {
    if (waiting.length === 0 && count <= free) {
      free -= count;
      return undefined;
    }
    if (waiting.length >= maxWaiting) throw refusal();
    return new Promise(begin => waiting.push({ count, begin }));
  };
  const giveBack = (count: number): void => {
    free += count;
    for (let [next] = waiting; next && next.count <= free; [next] = waiting) {
      waiting.shift();
      free -= next.count;
      next.begin();
    }
  };
  const run = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    const turn = take(1);
    if (turn) await turn;
    try {
      return await work();
    } finally {
      giveBack(1);
    }
  };
  const acquire = async (count = 1): Promise<() => void> => {
    await take(count);
    let held = count;
    return () => {
      giveBack(held);
      held = 0;
    };
  };
  return Object.assign(run, { acquire, isIdle: () => free === permits && waiting.length === 0 });
}
