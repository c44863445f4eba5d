import type { EntityManager } from '@mikro-orm/postgresql';
import { waitFor } from '@billing/testing/wait-for';
import { expect, it } from 'vitest';
import type { Publish } from '../src/bus.ts';
import { openHandOver } from '../src/hand-over.ts';
import { newOutboxRow, recordAll, relayOnce } from '../src/outbox.ts';
import { startRelay } from '../src/relay.ts';
import { Counted, startMessaging, teamId, type Messaging } from './harness.ts';

const AN_HOUR_MS = 3_600_000;
const NOTHING_ELSE = () => undefined;

const recordNumbers = (tx: EntityManager, ...numbers: number[]) =>
  recordAll(
    tx,
    numbers.map(number => newOutboxRow(Counted, teamId, { number })),
  );

/** The numbers of the facts that were published, in their order. */
function listening(messaging: Messaging) {
  const numbers: number[] = [];
  const publish: Publish = async (type, body, id, trace) => {
    await messaging.bus.publish(type, body, id, trace);
    numbers.push(JSON.parse(body).data.number);
  };
  return { numbers, publish };
}

async function unpublished({ em }: Messaging): Promise<{ claimed: boolean }[]> {
  return em.fork().execute('select claimed_until is not null as claimed from outbox_events where published_at is null');
}

it('has the relay publish what a transaction recorded, as soon as it has committed', async () => {
  await using messaging = await startMessaging();
  const { numbers, publish } = listening(messaging);
  const stop = startRelay(messaging.em, publish, messaging.logger, { intervalMs: AN_HOUR_MS });
  const committed = Promise.withResolvers<void>();
  const transaction = messaging.em.fork().transactional(async tx => {
    await recordNumbers(tx, 1, 2);
    await recordNumbers(tx, 3);
    await committed.promise;
  });
  await messaging.em.fork().transactional(tx => recordNumbers(tx, 4));
  await waitFor(() => numbers.length === 1, { what: 'the fact that was committed' });
  committed.resolve();
  await transaction;
  await waitFor(async () => (await unpublished(messaging)).length === 0, { what: 'all to be published' });
  expect(numbers).toEqual([4, 1, 2, 3]);
  await stop();
});

it('says nothing of a transaction that was rolled back', async () => {
  await using messaging = await startMessaging();
  const { numbers, publish } = listening(messaging);
  const stop = startRelay(messaging.em, publish, messaging.logger, { intervalMs: AN_HOUR_MS });
  const attempt = messaging.em.fork().transactional(async tx => {
    await recordNumbers(tx, 1);
    await tx.transactional(inner => recordNumbers(inner, 9));
    throw new Error('changed my mind');
  });
  await expect(attempt).rejects.toThrow('changed my mind');
  await messaging.em.fork().transactional(tx => recordNumbers(tx, 2));
  await waitFor(async () => (await unpublished(messaging)).length === 0, { what: 'all to be published' });
  expect(numbers).toEqual([2]);
  await stop();
});

it('says nothing of a savepoint that was rolled back, and all of one that was not', async () => {
  await using messaging = await startMessaging();
  const { numbers, publish } = listening(messaging);
  const stop = startRelay(messaging.em, publish, messaging.logger, { intervalMs: 20 });
  await messaging.em.fork().transactional(async tx => {
    await recordNumbers(tx, 1);
    await tx.transactional(inner => recordNumbers(inner, 2));
    const undone = tx.transactional(async inner => {
      await recordNumbers(inner, 3);
      throw new Error('changed my mind');
    });
    await expect(undone).rejects.toThrow('changed my mind');
  });
  await waitFor(async () => (await unpublished(messaging)).length === 0, { what: 'all to be published' });
  expect(numbers.toSorted((a, b) => a - b)).toEqual([1, 2]);
  await stop();
});

it('leaves to another relay what was handed over to one that died', async () => {
  await using messaging = await startMessaging();
  const { numbers, publish } = listening(messaging);
  openHandOver(messaging.em, NOTHING_ELSE);
  await messaging.em.fork().transactional(tx => recordNumbers(tx, 1));
  expect(await unpublished(messaging)).toEqual([{ claimed: true }]);
  expect(await relayOnce(messaging.em, publish)).toBe(0);
  await messaging.em.execute(`update outbox_events set claimed_until = claimed_until - interval '6 seconds'`);
  expect(await relayOnce(messaging.em, publish)).toBe(1);
  expect(numbers).toEqual([1]);
});

it('gives back what it has not published when it is stopped', async () => {
  await using messaging = await startMessaging();
  const { publish } = listening(messaging);
  const held = Promise.withResolvers<void>();
  const slow: Publish = async (...fact) => {
    await held.promise;
    await publish(...fact);
  };
  const stop = startRelay(messaging.em, slow, messaging.logger, { intervalMs: AN_HOUR_MS });
  await messaging.em.fork().transactional(tx => recordNumbers(tx, 1));
  await messaging.em.fork().transactional(tx => recordNumbers(tx, 2));
  const stopped = stop();
  held.resolve();
  await stopped;
  const left = await unpublished(messaging);
  expect(left).toEqual(left.map(() => ({ claimed: false })));
  while ((await relayOnce(messaging.em, publish)) > 0);
  expect(await unpublished(messaging)).toEqual([]);
});

it('publishes later what the broker did not take', async () => {
  await using messaging = await startMessaging();
  const { numbers, publish } = listening(messaging);
  let refuses = true;
  const choosy: Publish = async (...fact) => {
    if (refuses) throw new Error('no space left');
    await publish(...fact);
  };
  const stop = startRelay(messaging.em, choosy, messaging.logger, { intervalMs: 20 });
  await messaging.em.fork().transactional(tx => recordNumbers(tx, 1));
  await waitFor(async () => (await unpublished(messaging)).every(({ claimed }) => !claimed), {
    what: 'it to be refused',
  });
  refuses = false;
  await waitFor(async () => (await unpublished(messaging)).length === 0, { what: 'all to be published' });
  expect(numbers).toEqual([1]);
  await stop();
});

it('keeps no more in memory than it may', async () => {
  await using messaging = await startMessaging();
  const handOver = openHandOver(messaging.em, NOTHING_ELSE);
  for (let round = 0; round < 8; round += 1)
    await messaging.em
      .fork()
      .transactional(tx => recordNumbers(tx, ...Array.from({ length: 1_000 }, (_, index) => index)));
  const claimed = (await unpublished(messaging)).filter(row => row.claimed).length;
  expect(claimed).toBeLessThanOrEqual(5_000);
  expect(handOver.take(10_000)).toHaveLength(claimed);
});
