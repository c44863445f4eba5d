import { expect, it } from 'vitest';
import { waitFor } from '@billing/testing/wait-for';

it('answers the first truthy value', async () => {
  let looks = 0;
  expect(await waitFor(() => (++looks === 3 ? 'here' : undefined), { what: 'the third look', intervalMs: 1 })).toBe(
    'here',
  );
  expect(looks).toBe(3);
});

it('takes an error as not yet', async () => {
  let looks = 0;
  const condition = () => {
    if (++looks < 3) throw new Error('not there');
    return true;
  };
  expect(await waitFor(condition, { what: 'no error', intervalMs: 1 })).toBe(true);
});

it('says what it waited for and what it saw last', async () => {
  await expect(waitFor(() => 0, { what: 'a count', timeoutMs: 30, intervalMs: 5 })).rejects.toThrow(
    'Waited 0.03 s for a count; last seen: 0',
  );
  await expect(
    waitFor(() => Promise.reject(new Error('no such row')), { what: 'the row', timeoutMs: 30, intervalMs: 5 }),
  ).rejects.toThrow('last error: Error: no such row');
});
