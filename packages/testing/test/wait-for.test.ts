import { expect, it } from 'vitest';
import { waitFor } from '@billing/testing/wait-for';

it('returns the first truthy value', async () => {
  let calls = 0;
  expect(await waitFor(() => (++calls === 3 ? 'here' : undefined), { what: 'the third call', intervalMs: 1 })).toBe(
    'here',
  );
  expect(calls).toBe(3);
});

it('retries after an error', async () => {
  let calls = 0;
  const condition = () => {
    if (++calls < 3) throw new Error('not there');
    return true;
  };
  expect(await waitFor(condition, { what: 'no error', intervalMs: 1 })).toBe(true);
});

it('throws with what it waited for and the last value or error', async () => {
  await expect(waitFor(() => 0, { what: 'a count', timeoutMs: 30, intervalMs: 5 })).rejects.toThrow(
    'Waited 0.03 s for a count; last value: 0',
  );
  await expect(
    waitFor(() => Promise.reject(new Error('no such row')), { what: 'the row', timeoutMs: 30, intervalMs: 5 }),
  ).rejects.toThrow('last error: Error: no such row');
});
