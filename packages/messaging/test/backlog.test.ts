import { setTimeout as delay } from 'node:timers/promises';
import { openDatabase } from '@billing/service/database';
import { startLink } from '@billing/testing/link';
import { waitFor } from '@billing/testing/wait-for';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { watchBackPressure } from '../src/back-pressure.ts';
import { relayOnce } from '../src/outbox.ts';
import { messagingEntities, messagingMigrations } from '../src/tables.ts';
import { startMessaging, type Messaging } from './harness.ts';

const INTERVAL_MS = 20;
/** Enough for several looks, even of a slow machine. */
const SOME_LOOKS_MS = 300;
const HIGH_WATER = 5;

/** Watches a messaging's outbox, over `em` if given, and keeps what it logs. */
function watch(messaging: Messaging, em = messaging.em) {
  const said: string[] = [];
  const logger = pino({ level: 'info' }, { write: (line: string) => void said.push(JSON.parse(line).msg) });
  const backlog = watchBackPressure(em, { highWater: HIGH_WATER, intervalMs: INTERVAL_MS, logger });
  return { said, isOverloaded: backlog.isOverloaded, [Symbol.asyncDispose]: backlog.close };
}

const publish = ({ em, bus }: Messaging, count: number) => relayOnce(em, bus.publish, { batchSize: count });

it('is full above its mark, and no longer once it has drained to 80 % of it', async () => {
  await using messaging = await startMessaging();
  await using outbox = watch(messaging);
  await messaging.say(1, 2, 3, 4, 5);
  await delay(SOME_LOOKS_MS);
  expect(outbox.isOverloaded()).toBe(false);

  await messaging.say(6);
  await waitFor(outbox.isOverloaded, { what: 'the outbox to be full' });
  await publish(messaging, 1);
  await delay(SOME_LOOKS_MS);
  expect(outbox.isOverloaded()).toBe(true);

  await publish(messaging, 1);
  await waitFor(() => !outbox.isOverloaded(), { what: 'the outbox to count as drained' });
  await messaging.say(7);
  await delay(SOME_LOOKS_MS);
  expect(outbox.isOverloaded()).toBe(false);
  expect(outbox.said).toEqual([
    'outbox full, writes are refused until it has drained',
    'outbox drained, writes are taken again',
  ]);
});

it('keeps its answer while the database is away, and finds a new one afterwards', async () => {
  await using messaging = await startMessaging();
  await messaging.say(1, 2, 3, 4, 5, 6);
  await using link = await startLink(messaging.database.config.get('clientUrl', ''));
  await using resources = new AsyncDisposableStack();
  const database = resources.adopt(
    openDatabase({
      service: 'portal',
      url: link.url,
      entities: messagingEntities,
      migrations: messagingMigrations,
    }),
    opened => opened.close(),
  );
  await using outbox = watch(messaging, database.em);
  await waitFor(outbox.isOverloaded, { what: 'the outbox to be full' });

  await link.cut();
  await publish(messaging, 6);
  await waitFor(() => outbox.said.includes('outbox not counted, will try again'), { what: 'a look to fail' });
  await delay(SOME_LOOKS_MS);
  expect(outbox.isOverloaded()).toBe(true);

  await link.mend();
  await waitFor(() => !outbox.isOverloaded(), { what: 'the outbox to count as drained' });
  expect(outbox.said).toHaveLength(3);
});
