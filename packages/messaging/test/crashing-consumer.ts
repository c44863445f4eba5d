import { openDatabase } from '@billing/database/database';
import { pino } from 'pino';
import { openBus } from '../src/bus.ts';
import { connectBroker } from '../src/connection.ts';
import { receiverOf } from '../src/consumer/consume.ts';
import { consumer } from '../src/consumer/consumer.ts';
import { startDeadLetterRetries } from '../src/consumer/retry-dead-letters.ts';
import { openOutbox } from '../src/outbox.ts';
import { messagingEntities, messagingMigrations } from '../src/tables.ts';
import { addEffect, Counted } from './start-messaging.ts';

/*
 * A process that stores numbers, from the bus and from dead letters, and is killed by one of them each time it handles it:
 * `node crashing-consumer.ts <database> <nats> <root> <number> <ack wait>`.
 */
const [url = '', natsUrl = '', root = '', deadly = '', ackWait = ''] = process.argv.slice(2);
const logger = pino({ level: 'silent' });
const { em } = openDatabase({ service: 'portal', url, entities: messagingEntities, migrations: messagingMigrations });
const broker = await connectBroker({ url: natsUrl, service: 'portal', logger });
const bus = await openBus({ ...broker, logger, root });

const crashing = consumer('crashing', 'test.>').on(Counted, async (tx, deliveries) => {
  for (const { data } of deliveries) {
    if (data.number === Number(deadly)) process.kill(process.pid, 'SIGKILL');
    await addEffect(tx, data.number);
  }
});
const receive = receiverOf(crashing, { outbox: openOutbox(em), logger });
await bus.subscribe(crashing.name, crashing.filter, receive, { ackWaitMs: Number(ackWait) });
startDeadLetterRetries({ em, consumers: [{ consumer: crashing, receive }], intervalMs: 50, logger });
