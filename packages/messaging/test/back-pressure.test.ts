import { defineEvent } from '@billing/contracts/event';
import { openDatabase } from '@billing/database/database';
import { startLink } from '@billing/testing/link';
import { waitFor } from '@billing/testing/wait-for';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { watchBackPressure } from '../src/back-pressure.ts';
import type { Publish } from '../src/outbox.ts';
import { relayOnce } from '../src/relay.ts';
import { messagingEntities, messagingMigrations } from '../src/tables.ts';
import { Counted, publishAlone, startMessaging, teamId, type Messaging } from './start-messaging.ts';

const HIGH_WATER = 5;

/** Watches the outbox, through `em` if given, and collects what it logs. */
function watch(messaging: Messaging, em = messaging.em) {
  const logged: string[] = [];
  const logger = pino({ level: 'info' }, { write: (line: string) => void logged.push(JSON.parse(line).msg) });
  const pressure = watchBackPressure(em, { highWater: HIGH_WATER, intervalMs: 20, logger });
  /** After two counts: one may have been under way already. */
  const isOverloaded = async () => {
    await pressure.count();
    await pressure.count();
    return pressure.isOverloaded();
  };
  const { isTeamOverloaded, count } = pressure;
  return { logged, isOverloaded, isTeamOverloaded, count, [Symbol.asyncDispose]: pressure.close };
}

const publish = ({ em, bus }: Messaging, limit: number) => relayOnce(em, bus.publish, limit);

it('is overloaded above its mark until it has drained to 80 % of it', async () => {
  await using messaging = await startMessaging();
  await using outbox = watch(messaging);
  await publishAlone(messaging.outbox, 5);
  expect(await outbox.isOverloaded()).toBe(false);
  await publishAlone(messaging.outbox, 1);
  expect(await outbox.isOverloaded()).toBe(true);
  await publish(messaging, 1);
  expect(await outbox.isOverloaded()).toBe(true);
  await publish(messaging, 1);
  expect(await outbox.isOverloaded()).toBe(false);
  await publishAlone(messaging.outbox, 1);
  expect(await outbox.isOverloaded()).toBe(false);
  expect(outbox.logged).toEqual([
    'outbox overloaded, writes are paused until it has drained',
    'outbox drained, writes resume',
  ]);
});

it('S76: refuses a team that fills the outbox by number or by bytes alone, and goes on for all others', async () => {
  const Large = defineEvent('test.large.v1', z.object({ text: z.string() }));
  for (const fill of [
    (publishEvent: Publish) => [1, 2, 3, 4].forEach(number => publishEvent(Counted, teamId, { number })),
    (publishEvent: Publish) => publishEvent(Large, teamId, { text: 'x'.repeat(40_000) }),
  ]) {
    await using messaging = await startMessaging();
    await using outbox = watch(messaging);
    await publishAlone(messaging.outbox, 2);
    await messaging.outbox.transaction(async (_tx, publishEvent) => fill(publishEvent));
    expect(await outbox.isOverloaded()).toBe(false);
    expect([outbox.isTeamOverloaded(teamId), outbox.isTeamOverloaded('team_other')]).toEqual([true, false]);
    await publish(messaging, 1_000);
    expect(await outbox.isOverloaded()).toBe(false);
    expect(outbox.isTeamOverloaded(teamId)).toBe(false);
  }
});

it('is overloaded when one team has twice the mark, since nothing else is counted then', async () => {
  await using messaging = await startMessaging();
  await using outbox = watch(messaging);
  for (let row = 0; row < 2 * (HIGH_WATER + 1); row += 1) await messaging.publish(row);
  expect(await outbox.isOverloaded()).toBe(true);
});

it('reads no published event, even where the statistics say that most events wait', async () => {
  await using messaging = await startMessaging();
  await publishAlone(messaging.outbox, 2_000);
  await messaging.em.execute('analyze outbox_messages');
  await publish(messaging, 2_000);
  await using resources = new AsyncDisposableStack();
  const url = messaging.database.config.get('clientUrl', '');
  const settings = { service: 'portal', entities: messagingEntities, migrations: messagingMigrations } as const;
  // What a connection has read is only seen once the same connection has reported it.
  const database = resources.adopt(openDatabase({ ...settings, url, poolSize: 1 }), opened => opened.close());
  const rowsRead = async (): Promise<number> => {
    await database.em.execute('select pg_stat_force_next_flush()');
    const [row] = await database.em.execute<{ rows: string }[]>(
      `select seq_tup_read + idx_tup_fetch as rows from pg_stat_user_tables where relname = 'outbox_messages'`,
    );
    return Number(row?.rows);
  };
  await using outbox = watch(messaging, database.em);
  expect(await outbox.isOverloaded()).toBe(false);
  // Entries of the index that rows have left are skipped from the second scan on.
  const before = await rowsRead();
  expect(await outbox.isOverloaded()).toBe(false);
  expect((await rowsRead()) - before).toBeLessThan(2_000);
});

it('keeps its last result while the database is unavailable', async () => {
  await using messaging = await startMessaging();
  await publishAlone(messaging.outbox, 6);
  await using link = await startLink(messaging.database.config.get('clientUrl', ''));
  await using resources = new AsyncDisposableStack();
  const settings = { service: 'portal', entities: messagingEntities, migrations: messagingMigrations } as const;
  const database = resources.adopt(openDatabase({ ...settings, url: link.url }), opened => opened.close());
  await using outbox = watch(messaging, database.em);
  expect(await outbox.isOverloaded()).toBe(true);

  await link.cut();
  await publish(messaging, 6);
  await waitFor(() => outbox.logged.includes('outbox not counted, will try again'), { what: 'a count to fail' });
  expect(await outbox.isOverloaded()).toBe(true);

  await link.mend();
  await waitFor(async () => !(await outbox.isOverloaded()), { what: 'the outbox to count as drained' });
  expect(outbox.logged).toHaveLength(3);
});
