import { randomBytes } from 'node:crypto';
import { defineEvent } from '@billing/contracts/event';
import { TeamId } from '@billing/contracts/ids';
import { expect, it } from 'vitest';
import { z } from 'zod';
import type { PublishMessage } from '../src/bus.ts';
import { PermanentFailure } from '../src/failure-reason.ts';
import { decode } from '../src/message-body.ts';
import { deletePublished, relayOnce } from '../src/relay.ts';
import { PUBLISHED, trimTeamRows } from '../src/trim-team-rows.ts';
import { Counted, publishAlone, startMessaging, teamId, type Messaging } from './start-messaging.ts';

const Large = defineEvent('test.large.v1', z.object({ customerId: z.string().optional(), text: z.string() }));

it('has migrations that lead to the schema of the entities', async () => {
  await using messaging = await startMessaging();
  await messaging.em.execute('drop table effects');
  expect(await messaging.database.schema.getUpdateSchemaSQL()).toBe('');
});

it('publishes nothing of a transaction that was rolled back', async () => {
  await using messaging = await startMessaging();
  const attempt = messaging.outbox.transaction(async (_tx, publish) => {
    publish(Counted, teamId, { number: 1 });
    throw new Error('changed my mind');
  });
  await expect(attempt).rejects.toThrow('changed my mind');
  expect(await relayOnce(messaging.em, messaging.bus.publish)).toBe(0);
});

it('stores events of one team and type as one message, and publishes it again as it was', async () => {
  await using messaging = await startMessaging();
  await messaging.publish(...Array.from({ length: 40 }, (_, number) => number));
  const published: { id: string; body: string }[] = [];
  const publish: PublishMessage = async ({ id, body }) => void published.push({ id, body });
  expect(await relayOnce(messaging.em, publish)).toBe(2);
  // As after a crash before they were marked.
  await messaging.em.execute('update outbox_messages set due_at = clock_timestamp(), published_at = null');
  expect(await relayOnce(messaging.em, publish)).toBe(2);
  const [first, second, ...repeated] = published;
  expect(repeated).toEqual([first, second]);
  const numbers = decode({ json: () => JSON.parse(first?.body ?? '') }).map(({ data }) => data);
  expect(numbers).toEqual(Array.from({ length: 32 }, (_, number) => ({ number })));
});

it('deletes messages three days after their publication, however many, and none that wait', async () => {
  await using messaging = await startMessaging();
  await publishAlone(messaging.outbox, 6);
  await messaging.em.execute(
    `update outbox_messages
        set created_at = now() - make_interval(days => 7 - sequence::int),
            published_at = case when sequence <> 2 then now() - make_interval(days => 6 - sequence::int) end`,
  );
  const runs = [await deletePublished(messaging.em, 2), await deletePublished(messaging.em, 2)];
  const left = await messaging.em.execute<{ sequence: string }[]>('select sequence from outbox_messages order by 1');
  // The last ones were published less than three days ago.
  expect({ runs, left: left.map(({ sequence }) => Number(sequence)) }).toEqual({
    runs: [true, false],
    left: [2, 4, 5, 6],
  });
});

it('publishes each event once when relays run side by side', async () => {
  await using messaging = await startMessaging();
  await Promise.all(Array.from({ length: 120 }, (_, number) => messaging.publish(number)));
  const published: string[] = [];
  const publish: PublishMessage = async message => {
    published.push(message.id);
    await messaging.bus.publish(message);
  };
  const counts = await Promise.all(Array.from({ length: 4 }, () => relayOnce(messaging.em, publish, 50)));
  expect(counts.reduce((sum, count) => sum + count)).toBe(120);
  expect(new Set(published).size).toBe(120);
  expect(published).toHaveLength(120);
});

it('stores what the bus refused, and publishes it later', async () => {
  await using messaging = await startMessaging();
  for (const number of [1, 2, 3]) await messaging.publish(number);
  const refuseSecond: PublishMessage = async message => {
    if (message.body.includes('"number":2')) throw new Error('no space left');
    await messaging.bus.publish(message);
  };
  await expect(relayOnce(messaging.em, refuseSecond)).rejects.toThrow('1 of 3 messages could not be published');
  expect(await unpublished(messaging)).toBe(1);
  expect(await relayOnce(messaging.em, messaging.bus.publish)).toBe(1);
  expect(await unpublished(messaging)).toBe(0);
});

it('publishes what a relay leased and left', async () => {
  await using messaging = await startMessaging();
  await messaging.publish(1);
  await messaging.em.execute(`update outbox_messages set due_at = clock_timestamp() + interval '1 hour'`);
  expect(await relayOnce(messaging.em, messaging.bus.publish)).toBe(0);
  await messaging.em.execute(`update outbox_messages set due_at = clock_timestamp() - interval '1 second'`);
  expect(await relayOnce(messaging.em, messaging.bus.publish)).toBe(1);
});

it('leases no more at once than fits into memory', async () => {
  await using messaging = await startMessaging();
  const text = 'x'.repeat(1_000_000);
  await messaging.outbox.transaction(async (_tx, publish) => {
    for (let index = 0; index < 12; index += 1) publish(Large, teamId, { text });
  });
  const published: string[] = [];
  const publish: PublishMessage = async ({ id }) => void published.push(id);
  const counts = [await relayOnce(messaging.em, publish), await relayOnce(messaging.em, publish)];
  expect(counts).toEqual([9, 3]);
  expect(new Set(published).size).toBe(12);
});

it('S76: takes no event that is too large for the bus, and names its record', async () => {
  await using messaging = await startMessaging();
  const attempt = messaging.outbox.transaction(async (_tx, publish) =>
    publish(Large, teamId, { customerId: 'cus_1', text: 'é'.repeat(600_000) }),
  );
  await expect(attempt).rejects.toThrow('test.large.v1 of cus_1 would have');
  await expect(attempt).rejects.toBeInstanceOf(PermanentFailure);
  expect(await messaging.outboxEvents()).toEqual([]);
});

it('S76: keeps the newest published messages of a team within its bytes, and all of others', async () => {
  await using messaging = await startMessaging();
  const { em, outbox, bus } = messaging;
  const text = () => randomBytes(50_000).toString('hex');
  for (const team of [teamId, TeamId.create()])
    for (let index = 0; index < 8; index += 1)
      await outbox.transaction(async (_tx, publish) => publish(Large, team, { text: text() }));
  await relayOnce(em, bus.publish);
  await outbox.transaction(async (_tx, publish) => publish(Large, teamId, { text: text() }));
  // Each takes a little more than 100,000 bytes, or less where PostgreSQL compresses it.
  expect(await trimTeamRows(em, { ...PUBLISHED, maxBytes: 320_000 }, teamId)).toBeGreaterThan(0);
  const left = await em.execute<{ sequence: string; is_mine: boolean }[]>(
    'select sequence, team_id = ? as is_mine from outbox_messages order by 1',
    [teamId],
  );
  const mine = left.filter(row => row.is_mine).map(({ sequence }) => Number(sequence));
  expect(left.length - mine.length).toBe(8);
  expect(mine.length).toBeLessThan(9);
  // The last one waits to be published.
  expect(mine.at(-1)).toBe(17);
  expect(mine.slice(0, -1)).toEqual(Array.from({ length: mine.length - 1 }, (_, index) => 10 - mine.length + index));
  expect(await trimTeamRows(em, { ...PUBLISHED, maxBytes: 320_000 }, teamId)).toBe(0);
});

async function unpublished(messaging: Messaging): Promise<number> {
  return (await messaging.outboxEvents()).filter(event => !event.is_published).length;
}
