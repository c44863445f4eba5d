import { expect, it } from 'vitest';
import { semaphore } from './semaphore.ts';

it('runs as many works at once as it has permits, and the others in their order', async () => {
  const limit = semaphore(2);
  const begun: number[] = [];
  const gates = [0, 1, 2, 3].map(() => Promise.withResolvers<void>());
  const works = gates.map((gate, index) => limit(async () => (begun.push(index), gate.promise)));
  expect(begun).toEqual([0, 1]);
  gates[1]?.resolve();
  await works[1];
  expect(begun).toEqual([0, 1, 2]);
  gates[0]?.resolve();
  await works[0];
  expect(begun).toEqual([0, 1, 2, 3]);
});

it('passes the permit on when a work fails', async () => {
  const limit = semaphore(1);
  const failing = limit(() => Promise.reject(new Error('planted')));
  const next = limit(async () => 'next');
  await expect(failing).rejects.toThrow('planted');
  expect(await next).toBe('next');
});

it('lets a work run beside one that does not end, when its patience does', async () => {
  const limit = semaphore(1, { patienceMs: 1 });
  const gate = Promise.withResolvers<string>();
  const stuck = limit(() => gate.promise);
  expect(await limit(async () => 'beside')).toBe('beside');
  const after = [limit(async () => 'second'), limit(async () => 'third')];
  gate.resolve('ended');
  expect(await Promise.all([stuck, ...after])).toEqual(['ended', 'second', 'third']);
  expect(await limit(async () => 'alone')).toBe('alone');
});
