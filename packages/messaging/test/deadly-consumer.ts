import { openDatabase } from '@billing/service/database';
import { pino } from 'pino';
import { openBus } from '../src/bus.ts';
import { connectBroker } from '../src/connection.ts';
import { Inbox, TOGETHER } from '../src/inbox.ts';
import { messagingEntities, messagingMigrations } from '../src/tables.ts';
import { Counted } from './harness.ts';

/*
 * A process that reads numbers from the bus and dies of one of them, whenever it has it in hand:
 * `node deadly-consumer.ts <database> <nats> <root> <number>`.
 */
const [url = '', natsUrl = '', root = '', deadly = ''] = process.argv.slice(2);
const logger = pino({ level: 'silent' });
const { em } = openDatabase({ service: 'portal', url, entities: messagingEntities, migrations: messagingMigrations });
const bus = await openBus({ nats: await connectBroker(natsUrl, 'test'), logger, root });

const inbox = new Inbox(em, 'test', logger)
  .on(Counted, async (tx, { number }) => {
    if (number === Number(deadly)) process.kill(process.pid, 'SIGKILL');
    await tx.execute('insert into effects (number) values (?)', [number]);
  })
  .together(async (tx, heard) => {
    for (const { event } of heard) {
      const { number } = Counted.data.parse(event.data);
      if (number === Number(deadly)) process.kill(process.pid, 'SIGKILL');
      await tx.execute('insert into effects (number) values (?)', [number]);
    }
    return heard;
  });
await bus.consume('deadly', 'test.>', inbox.receive, { ...TOGETHER, ackWaitMs: 1_000 });
