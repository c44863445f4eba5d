import type { EntityManager } from '@mikro-orm/postgresql';
import { expect, it } from 'vitest';
import { timedTransaction } from '../src/timed-transaction.ts';
import { TookTooLong } from '../src/with-timeout.ts';
import { startMessaging } from './harness.ts';

const LIMITS = { statement: 5_000, lock: 1_000, all: 300 };
const insert = (tx: EntityManager, number: number) => tx.execute('insert into effects values (?)', [number]);

it('keeps nothing of a transaction whose time is over, whatever it goes on to ask', async () => {
  await using messaging = await startMessaging();
  const { promise: ended, resolve: end } = Promise.withResolvers<string[]>();
  const outcomes: string[] = [];
  const tried = (rpc: Promise<unknown>) =>
    rpc.then(
      () => void outcomes.push('taken'),
      () => void outcomes.push('refused'),
    );
  const slow = timedTransaction(messaging.em, LIMITS, 'slow', async tx => {
    await insert(tx, 1);
    await tried(tx.execute('select pg_sleep(0.6)'));
    await tried(insert(tx, 2));
    await tried(insert(tx, 3));
    end(outcomes);
  });
  await expect(slow).rejects.toBeInstanceOf(TookTooLong);
  expect(await ended).toEqual(['refused', 'refused', 'refused']);
  expect(await messaging.effects()).toEqual([]);
});

it('gives the connections of those back that wait for what never comes', async () => {
  await using messaging = await startMessaging();
  const hang = (number: number) =>
    timedTransaction(messaging.em, LIMITS, 'hanging', async tx => {
      await insert(tx, number);
      await new Promise(() => undefined);
    });
  // More than the pool holds.
  for (let round = 0; round < 3; round += 1) {
    const hanging = await Promise.allSettled(Array.from({ length: 6 }, (_, index) => hang(index)));
    expect(hanging.every(one => one.status === 'rejected' && one.reason instanceof TookTooLong)).toBe(true);
  }
  await timedTransaction(messaging.em, LIMITS, 'quick', tx => insert(tx, 7));
  expect(await messaging.effects()).toEqual([7]);
});
