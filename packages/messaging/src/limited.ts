/** Has at most `width` of the callers' works run at once; the others wait for their turn, first come first served. */
export function limited(width: number) {
  const waiting: (() => void)[] = [];
  let running = 0;

  return async <Result>(work: () => Promise<Result>): Promise<Result> => {
    if (running >= width) await new Promise<void>(resolve => waiting.push(resolve));
    else running += 1;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      // The one who goes leaves its place to the next.
      if (next) next();
      else running -= 1;
    }
  };
}
