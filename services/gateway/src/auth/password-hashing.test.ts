import { expect, it } from 'vitest';
import { passwordHashing } from './password-hashing.ts';

it('hashes two passwords at a time, lets a few wait, and refuses the others', async () => {
  const hashing = passwordHashing({ maxWaiting: 1 });
  const outcomes = await Promise.allSettled(['a', 'b', 'c', 'd', 'e'].map(password => hashing.hash(password)));
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'fulfilled', 'rejected', 'rejected']);
  expect(outcomes.at(-1)).toMatchObject({ reason: { status: 503, retryAfterSeconds: 5 } });
  const [first] = outcomes;
  const stored = first?.status === 'fulfilled' ? first.value : '';
  expect(await hashing.verify({ hash: stored, password: 'a' })).toBe(true);
  expect(await hashing.verify({ hash: stored, password: 'b' })).toBe(false);
});
