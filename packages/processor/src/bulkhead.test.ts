import { expect, it } from 'vitest';
import { createBulkhead } from './bulkhead.ts';

it('rejects calls over the limit at once, and accepts more when a call ends', async () => {
  const run = createBulkhead(2);
  const { promise, resolve } = Promise.withResolvers<string>();
  const running = [run(() => promise), run(() => promise)];
  await expect(run(async () => 'third')).rejects.toMatchObject({ kind: 'unavailable', retryAfterSeconds: 5 });
  resolve('done');
  expect(await Promise.all(running)).toEqual(['done', 'done']);
  expect(await run(async () => 'next')).toBe('next');
});

it('counts a failed call as ended', async () => {
  const run = createBulkhead(1);
  const fail = () => Promise.reject(new Error('no'));
  await expect(run(fail)).rejects.toThrow('no');
  await expect(run(fail)).rejects.toThrow('no');
});

it('does not limit other teams', async () => {
  const [slow, other] = [createBulkhead(1), createBulkhead(1)];
  const { promise, resolve } = Promise.withResolvers<void>();
  const running = slow(() => promise);
  expect(await other(async () => 'quick')).toBe('quick');
  resolve();
  await running;
});
