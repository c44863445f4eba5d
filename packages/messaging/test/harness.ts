import { ProjectId, TeamId } from '@billing/contracts/ids';
import { defineEvent } from '@billing/contracts/event';
import { openDatabase, migrate } from '@billing/service/database';
import { createTestDatabase } from '@billing/testing/database';
import { connectTestNats, testBusRoot } from '@billing/testing/nats';
import { pino } from 'pino';
import { z } from 'zod';
import { openBus } from '../src/bus.ts';
import { record } from '../src/outbox.ts';
import { messagingEntities, messagingMigrations } from '../src/tables.ts';

export const Counted = defineEvent('test.counted.v1', z.object({ number: z.int() }));

export const teamId = TeamId.create();
export const projectId = ProjectId.create();

/** The tables of the bus in a database of their own, and a bus that no other test hears. */
export async function startMessaging() {
  const resources = new AsyncDisposableStack();
  const logger = pino({ level: 'silent' });
  const { url } = resources.use(await createTestDatabase('portal'));
  const database = openDatabase({
    service: 'portal',
    url,
    entities: messagingEntities,
    migrations: messagingMigrations,
  });
  resources.defer(() => database.close());
  await migrate(database);
  await database.em.execute('create table effects (number int not null)');
  const nats = resources.adopt(await connectTestNats(), it => it.close());
  const bus = await openBus({ nats, logger, root: testBusRoot() });
  resources.defer(bus.remove);

  const em = database.em;
  return {
    database,
    em,
    bus,
    logger,
    /** Records facts with these numbers, in one transaction. */
    say: (...numbers: number[]) =>
      em.fork().transactional(async tx => numbers.forEach(number => record(tx, Counted, teamId, { number }))),
    effects: async () => {
      const rows = await em.fork().execute<{ number: number }[]>('select number from effects order by number');
      return rows.map(row => row.number);
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

export type Messaging = Awaited<ReturnType<typeof startMessaging>>;
