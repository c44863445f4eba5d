import fc from 'fast-check';
import { expect, it } from 'vitest';
import { semaphore } from './semaphore.ts';

const PERMITS = 3;

it('hands out no more than its permits, in order, and in the end to all', async () => {
  const counts = fc.array(fc.integer({ min: 1, max: PERMITS }), { maxLength: 30 });
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), counts, async (scheduler, wanted) => {
      const limit = semaphore(PERMITS);
      const begun: number[] = [];
      let held = 0;
      const all = Promise.all(
        wanted.map(async (count, index) => {
          const release = await limit.acquire(count);
          begun.push(index);
          held += count;
          expect(held).toBeLessThanOrEqual(PERMITS);
          await scheduler.schedule(Promise.resolve());
          held -= count;
          release();
          release();
        }),
      );
      await scheduler.waitFor(all);
      expect(begun).toEqual(wanted.map((_, index) => index));
      expect(limit.isIdle()).toBe(true);
    }),
  );
});

it('begins a work at once while there is a permit', async () => {
  const limit = semaphore(2);
  const begun: number[] = [];
  const gates = [0, 1, 2].map(() => Promise.withResolvers<void>());
  const works = gates.map((gate, index) => limit(async () => (begun.push(index), gate.promise)));
  expect(begun).toEqual([0, 1]);
  gates[1]?.resolve();
  await works[1];
  expect(begun).toEqual([0, 1, 2]);
});

it('passes the permit on when a work fails', async () => {
  const limit = semaphore(1);
  const failing = limit(() => Promise.reject(new Error('planted')));
  const next = limit(async () => 'next');
  await expect(failing).rejects.toThrow('planted');
  expect(await next).toBe('next');
});

it('refuses more than may wait', async () => {
  const limit = semaphore(1, { maxWaiting: 1, refusal: () => new Error('full') });
  const release = await limit.acquire();
  const second = limit.acquire();
  await expect(limit.acquire()).rejects.toThrow('full');
  await expect(limit(async () => 'third')).rejects.toThrow('full');
  release();
  (await second)();
  expect(await limit(async () => 'later')).toBe('later');
});
