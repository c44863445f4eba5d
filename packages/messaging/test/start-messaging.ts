import { randomUUID } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import { defineEvent, type Envelope } from '@billing/contracts/event';
import { ProjectId, TeamId } from '@billing/contracts/ids';
import { processorEvent } from '@billing/contracts/processor-events';
import { migrate, openDatabase } from '@billing/database/database';
import { createTestDatabase } from '@billing/testing/database';
import { connectTestNats, testBusRoot } from '@billing/testing/nats';
import { pino } from 'pino';
import { z } from 'zod';
import { createStream, openBus, toDelivery } from '../src/bus.ts';
import { receiverOf } from '../src/consumer/consume.ts';
import type { Consumer } from '../src/consumer/consumer.ts';
import { openOutbox, type Outbox } from '../src/outbox.ts';
import { messagingEntities, messagingMigrations } from '../src/tables.ts';

export const Counted = defineEvent('test.counted.v1', z.object({ number: z.int() }));

export const teamId = TeamId.create();
export const projectId = ProjectId.create();

/** The tables of the bus in a database of their own, and a bus that no other test reads. */
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
  const root = testBusRoot();
  await createStream(nats, root);
  const bus = await openBus({ nats, inbox: '_INBOX', logger, root });
  resources.defer(bus.remove);

  const em = database.em;
  const outbox = openOutbox(em);
  return {
    database,
    em,
    bus,
    logger,
    outbox,
    /** Publishes events with these numbers, in one transaction. */
    publish: (...numbers: number[]) => publishNumbers(outbox, ...numbers),
    /** Hands an event to a consumer as the bus would, on its n-th attempt. */
    receiver: (consumer: Consumer) => {
      const receive = receiverOf(consumer, { outbox, logger });
      return (event: Envelope, attempt = 1) => receive(toDelivery(event, attempt));
    },
    /** The numbers that handlers have stored, in ascending order. */
    effects: async () => {
      const rows = await em.fork().execute<{ number: number }[]>('select number from effects order by number');
      return rows.map(row => row.number);
    },
    /** Failures that are still tried, and dead letters. */
    failures: () =>
      em
        .fork()
        .execute<{ event_id: string; attempts: number; error: string; event: Envelope; is_dead: boolean }[]>(
          'select *, dead_lettered_at is not null as is_dead from dead_letters order by failed_at',
        ),
    /** The events that the outbox holds, in the order of insertion. */
    outboxEvents: () =>
      em.fork().execute<{ type: string; data: unknown; is_leased: boolean; is_published: boolean }[]>(
        `select type, event -> 'data' as data, due_at > clock_timestamp() as is_leased,
                published_at is not null as is_published
           from outbox_messages, json_array_elements(body::json) with ordinality as carried (event, place)
          order by sequence, place`,
      ),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

export type Messaging = Awaited<ReturnType<typeof startMessaging>>;

/** Publishes events with these numbers, in one transaction. */
export const publishNumbers = (outbox: Outbox, ...numbers: number[]): Promise<void> =>
  outbox.transaction(async (_tx, publish) => numbers.forEach(number => publish(Counted, teamId, { number })));

/** Publishes so many events in one transaction, each of a team of its own and so in a message of its own. */
export const publishAlone = (outbox: Outbox, count: number): Promise<void> =>
  outbox.transaction(async (_tx, publish) => {
    for (let number = 0; number < count; number += 1) publish(Counted, TeamId.create(), { number });
  });

/** Stores a number as the effect of an event. */
export const addEffect = (tx: EntityManager, number: number): Promise<unknown> =>
  tx.execute('insert into effects (number) values (?)', [number]);

/** An event with a number, as it stands on the bus. */
export const counted = (number: number): Envelope => ({
  id: randomUUID(),
  type: Counted.name,
  teamId,
  occurredAt: new Date(),
  data: { number },
});

/** One of Stripe's events, routed to a project, as it stands on the bus. */
export function chargeFailed(eventId: string, { id = randomUUID() }: { id?: string } = {}): Envelope {
  const { name, data } = processorEvent('charge.failed');
  const encoded = data.encode({
    eventId,
    projectId,
    apiVersion: null,
    livemode: false,
    createdAt: new Date(),
    routedBy: 'known-id',
    object: {},
    previousAttributes: null,
  });
  return { id, type: name, teamId, occurredAt: new Date(), data: encoded };
}
