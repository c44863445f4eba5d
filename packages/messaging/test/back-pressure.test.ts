import { openDatabase } from '@billing/database/database';
import { startLink } from '@billing/testing/link';
import { waitFor } from '@billing/testing/wait-for';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { watchBackPressure } from '../src/back-pressure.ts';
import { relayOnce } from '../src/relay.ts';
import { messagingEntities, messagingMigrations } from '../src/tables.ts';
import { startMessaging, type Messaging } from './start-messaging.ts';

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
  return { logged, isOverloaded, count: pressure.count, [Symbol.asyncDispose]: pressure.close };
}

const publish = ({ em, bus }: Messaging, limit: number) => relayOnce(em, bus.publish, limit);

it('is overloaded above its mark until it has drained to 80 % of it', async () => {
  await using messaging = await startMessaging();
  await using outbox = watch(messaging);
  await messaging.publish(1, 2, 3, 4, 5);
  expect(await outbox.isOverloaded()).toBe(false);
  await messaging.publish(6);
  expect(await outbox.isOverloaded()).toBe(true);
  await publish(messaging, 1);
  expect(await outbox.isOverloaded()).toBe(true);
  await publish(messaging, 1);
  expect(await outbox.isOverloaded()).toBe(false);
  await messaging.publish(7);
  expect(await outbox.isOverloaded()).toBe(false);
  expect(outbox.logged).toEqual([
    'outbox overloaded, writes are paused until it has drained',
    'outbox drained, writes resume',
  ]);
});

it('reads no published event, even where the statistics say that most events wait', async () => {
  await using messaging = await startMessaging();
  await messaging.publish(...Array.from({ length: 2_000 }, (_, number) => number));
  await messaging.em.execute('analyze outbox_events');
  await publish(messaging, 2_000);
  await using resources = new AsyncDisposableStack();
  const url = messaging.database.config.get('clientUrl', '');
  const settings = { service: 'portal', entities: messagingEntities, migrations: messagingMigrations } as const;
  // What a connection has read is only seen once the same connection has reported it.
  const database = resources.adopt(openDatabase({ ...settings, url, poolSize: 1 }), opened => opened.close());
  const rowsRead = async (): Promise<number> => {
    await database.em.execute('select pg_stat_force_next_flush()');
    const [row] = await database.em.execute<{ rows: string }[]>(
      `select seq_tup_read + idx_tup_fetch as rows from pg_stat_user_tables where relname = 'outbox_events'`,
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
  await messaging.publish(1, 2, 3, 4, 5, 6);
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
