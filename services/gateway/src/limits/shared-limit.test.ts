import { runs } from '@billing/testing/runs';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { sharedLimit, type PointStore, type SharedLimit, type Usage } from './shared-limit.ts';

const WINDOW_MS = 60_000;

/** Counts as the shared table does; `delay` decides when each response arrives. */
function memoryStore(now: () => number, delay: (what: string) => Promise<unknown> = async () => undefined) {
  const windows = new Map<string, { total: number; endsAt: number }>();
  let calls = 0;
  const store: PointStore = {
    async add(key, points) {
      calls += 1;
      await delay('request');
      const known = windows.get(key);
      const window = known && known.endsAt > now() ? known : { total: 0, endsAt: now() + WINDOW_MS };
      window.total += points;
      windows.set(key, window);
      const result = { ...window };
      await delay('response');
      return result;
    },
  };
  return {
    store,
    calls: () => calls,
    /** When the key's current window ends; throws when it has none. */
    windowAt: (key: string): number => {
      const endsAt = windows.get(key)?.endsAt ?? 0;
      if (endsAt <= now()) throw new Error('Points were used outside of any window.');
      return endsAt;
    },
  };
}

it('lets copies together use no more than the limit, and at least all but a chunk of each', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.scheduler(),
      fc.integer({ min: 1, max: 60 }),
      fc.integer({ min: 1, max: 10 }),
      fc.integer({ min: 1, max: 4 }),
      fc.array(fc.nat({ max: 3 }), { minLength: 1, maxLength: 150 }),
      async (scheduler, limit, chunk, copyCount, callers) => {
        const now = () => 0;
        const { store } = memoryStore(now, what => scheduler.schedule(Promise.resolve(), what));
        const copies = Array.from({ length: copyCount }, () => sharedLimit({ store, limit, chunk, now }));
        const taking = Promise.all(callers.map(async caller => copies[caller % copyCount]?.take('key')));
        await scheduler.waitFor(taking);
        const allowed = (await taking).filter(usage => usage?.isAllowed).length;
        expect(allowed).toBeLessThanOrEqual(limit);
        expect(allowed).toBeGreaterThanOrEqual(Math.min(callers.length, limit - copyCount * chunk));
      },
    ),
  );
});

it('never exceeds the limit with any sizes, returned points and windows', async () => {
  const step = fc.oneof(
    {
      weight: 20,
      arbitrary: fc.record({ kind: fc.constant('take'), copy: fc.nat(1), points: fc.integer({ min: 1, max: 9 }) }),
    },
    { weight: 4, arbitrary: fc.record({ kind: fc.constant('give back') }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('pass'), ms: fc.constantFrom(WINDOW_MS / 2, WINDOW_MS) }) },
  );
  const steps = fc.array(step, { minLength: 20, maxLength: 150 });
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 60 }), steps, async (limit, sequence) => {
      let time = 1;
      const now = () => time;
      const { store, windowAt } = memoryStore(now);
      const copies = [0, 1].map(() => sharedLimit({ store, limit, chunk: 7, now }));
      const used = new Map<number, number>();
      const use = (endsAt: number, points: number) => used.set(endsAt, (used.get(endsAt) ?? 0) + points);
      const taken: { usage: Usage; copy: SharedLimit; points: number; endsAt: number }[] = [];
      for (const { kind, ...of } of sequence) {
        if ('ms' in of) time += of.ms;
        const copy = 'copy' in of ? copies[of.copy] : undefined;
        if (copy && 'points' in of) {
          const usage = await copy.take('key', of.points);
          const endsAt = windowAt('key');
          if (!usage.isAllowed) continue;
          use(endsAt, of.points);
          taken.push({ usage, copy, points: of.points, endsAt });
        }
        const earlier = kind === 'give back' ? taken.shift() : undefined;
        if (!earlier) continue;
        earlier.copy.giveBack('key', earlier.usage, earlier.points);
        use(earlier.endsAt, -earlier.points);
      }
      for (const points of used.values()) expect(points).toBeLessThanOrEqual(limit);
    }),
    { numRuns: runs(500) },
  );
});

it('calls the store once for each chunk, and not at all once the limit is reached', async () => {
  const { store, calls } = memoryStore(() => 0);
  const limit = sharedLimit({ store, limit: 600, now: () => 0 });
  const take = (count: number) => Promise.all(Array.from({ length: count }, () => limit.take('key')));
  await take(600);
  expect(calls()).toBe(100);
  expect((await take(100)).filter(({ isAllowed }) => isAllowed)).toEqual([]);
  expect(calls()).toBe(100);
});

it('says what remains, and when the limit is free again', async () => {
  let time = 0;
  const now = () => time;
  const { store } = memoryStore(now);
  const limit = sharedLimit({ store, limit: 2, now });
  expect(limit.peek('key')).toMatchObject({ isAllowed: true, remaining: 2 });
  expect(await limit.take('key')).toMatchObject({ isAllowed: true, limit: 2, remaining: 1, msLeft: WINDOW_MS });
  time = 10_000;
  const second = await limit.take('key');
  expect(second).toMatchObject({ isAllowed: true, remaining: 0, msLeft: WINDOW_MS - time });
  expect(await limit.take('key')).toMatchObject({ isAllowed: false, remaining: 0, msLeft: WINDOW_MS - time });
  expect(limit.peek('key')).toMatchObject({ isAllowed: false, remaining: 0 });
  time = WINDOW_MS;
  expect(limit.peek('key')).toMatchObject({ isAllowed: true, remaining: 2 });
  limit.giveBack('key', second);
  expect(await limit.take('key', 2)).toMatchObject({ isAllowed: true, remaining: 0 });
  expect(await limit.take('key')).toMatchObject({ isAllowed: false });
});
