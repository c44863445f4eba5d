import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createSlots } from './slots.ts';

it('runs no more than the slots of a key at a time, in order, and in the end all', async () => {
  const task = fc.record({ key: fc.constantFrom('a', 'b'), slots: fc.integer({ min: 1, max: 3 }) });
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), fc.array(task, { maxLength: 30 }), async (scheduler, tasks) => {
      const slots = createSlots({ maxWaiting: 100 });
      const running = { a: 0, b: 0 };
      const started: number[] = [];
      const all = Promise.all(
        tasks.map(async ({ key, slots: count }, index) => {
          const leave = await slots.enter(key, count);
          running[key] += 1;
          started.push(index);
          expect(running[key]).toBeLessThanOrEqual(3);
          await scheduler.schedule(Promise.resolve());
          running[key] -= 1;
          leave?.();
          leave?.();
        }),
      );
      await scheduler.waitFor(all);
      for (const key of ['a', 'b']) {
        const ofKey = started.filter(index => tasks[index]?.key === key);
        expect(ofKey).toEqual(ofKey.toSorted((one, other) => one - other));
      }
      expect(started).toHaveLength(tasks.length);
    }),
  );
});

it('refuses more than may wait', async () => {
  const slots = createSlots({ maxWaiting: 1 });
  const leave = await slots.enter('key', 1);
  const second = slots.enter('key', 1);
  expect(await slots.enter('key', 1)).toBeUndefined();
  expect(await slots.enter('other', 1)).toBeDefined();
  leave?.();
  expect(await second).toBeDefined();
});
