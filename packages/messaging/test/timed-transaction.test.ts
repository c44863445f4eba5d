import type { EntityManager } from '@mikro-orm/postgresql';
import { expect, it } from 'vitest';
import { timedTransaction, TimeoutError } from '../src/timed-transaction.ts';
import { startMessaging } from './start-messaging.ts';

const LIMITS = { statement: 5_000, lock: 1_000, total: 300, what: 'The work' };
const insert = (tx: EntityManager, number: number) => tx.execute('insert into effects values (?)', [number]);

it('keeps nothing of a transaction whose time is over, whatever it sends next', async () => {
  await using messaging = await startMessaging();
  const { promise: ended, resolve: end } = Promise.withResolvers<string[]>();
  const outcomes: string[] = [];
  const tried = (statement: Promise<unknown>) =>
    statement.then(
      () => void outcomes.push('done'),
      () => void outcomes.push('refused'),
    );
  const slow = timedTransaction(messaging.em, LIMITS, async tx => {
    await insert(tx, 1);
    await tried(tx.execute('select pg_sleep(0.6)'));
    await tried(insert(tx, 2));
    await tried(insert(tx, 3));
    end(outcomes);
  });
  await expect(slow).rejects.toBeInstanceOf(TimeoutError);
  expect(await ended).toEqual(['refused', 'refused', 'refused']);
  expect(await messaging.effects()).toEqual([]);
});

it('returns the connections of transactions that never end to the pool', async () => {
  await using messaging = await startMessaging();
  const hang = (number: number) =>
    timedTransaction(messaging.em, LIMITS, async tx => {
      await insert(tx, number);
      await new Promise(() => undefined);
    });
  // More than the pool holds.
  for (let round = 0; round < 3; round += 1) {
    const hanging = await Promise.allSettled(Array.from({ length: 6 }, (_, index) => hang(index)));
    expect(hanging.every(one => one.status === 'rejected' && one.reason instanceof TimeoutError)).toBe(true);
  }
  await timedTransaction(messaging.em, LIMITS, tx => insert(tx, 7));
  expect(await messaging.effects()).toEqual([7]);
});
