import { expect, it } from 'vitest';
import { newEmail } from '../system/tenant.ts';
import { callerFrom, countStatuses, countWithinAMinute, newAddress, newLimitedTenant } from './limited.ts';

it('S36: no API call is refused while a hundred sign-ups and sign-ins from as many addresses come at once', async () => {
  const { api, P } = await newLimitedTenant();
  const flood = countStatuses(
    100,
    index =>
      callerFrom(newAddress()).post(`/api/auth/${index % 2 ? 'sign-up' : 'sign-in'}/email`, {
        email: newEmail(),
        password: 'a staple holds the horse',
        ...(index % 2 && { name: 'Eve' }),
      }),
    100,
  );
  expect(await countStatuses(20, () => api.get(`${P}/customers`), 1)).toEqual({ 200: 20 });
  // Those for which too many hashes wait are 503; how many that are depends on the machine.
  expect(Object.keys(await flood).filter(status => !['200', '401', '503'].includes(status))).toEqual([]);
});

it('S36: two hundred sign-ups from one address get ten hashes and then 429', async () => {
  const password = 'a staple holds the horse';
  const { statuses } = await countWithinAMinute(
    200,
    () => callerFrom(newAddress()),
    attacker => attacker.post('/api/auth/sign-up/email', { email: newEmail(), name: 'Eve', password }),
  );
  // The hashes of the test before may still fill the queue.
  expect((statuses[200] ?? 0) + (statuses[503] ?? 0)).toBe(10);
  expect(statuses[429]).toBe(190);
});

it('S24: a sign-in for an unknown address hashes the password, as one with a wrong password does', async () => {
  // Only a sign-in that hashes is ever refused because too many hashes wait.
  let isRefused = false;
  const signIn = async () => {
    const body = { email: newEmail(), password: 'not the password' };
    for (let tries = 0; tries < 50 && !isRefused; tries += 1) {
      const { status } = await callerFrom(newAddress()).post('/api/auth/sign-in/email', body);
      if (status === 503) isRefused = true;
    }
  };
  await Promise.all(Array.from({ length: 40 }, signIn));
  expect(isRefused).toBe(true);
});
