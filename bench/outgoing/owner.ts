import { busAccessOf } from '@billing/contracts/bus-access';
import { CustomerCreated, CustomerUpdated } from '@billing/contracts/events/customers';
import type { ProjectScope } from '@billing/contracts/ids';
import { findServers } from '@billing/local-system/running-system';
import { openBus } from '@billing/messaging/bus';
import { openCommittedEvents } from '@billing/messaging/committed-events';
import { closeBroker, connectBroker } from '@billing/messaging/connection';
import { openOutbox } from '@billing/messaging/outbox';
import { startRelay } from '@billing/messaging/relay';
import { openServiceDatabase } from '@billing/service/service-database';
import { pino } from 'pino';
import { customersSchema } from '../../services/customers/src/persistence/schema.ts';
import type { CustomerChange } from './side.ts';

/** Commits changes of customers as their service does: with its outbox, and the relay that publishes them. */
export interface Owner extends AsyncDisposable {
  /** Commits changes of a project together. */
  commit(project: ProjectScope, changes: readonly CustomerChange[]): Promise<void>;
}

export async function startOwner(dataDir: string): Promise<Owner> {
  await using resources = new AsyncDisposableStack();
  const { databaseUrl, natsUrl } = findServers(dataDir, 'customers');
  const logger = pino({ level: 'warn' });
  const { em } = resources.adopt(openServiceDatabase('customers', customersSchema, databaseUrl), it => it.close());
  const broker = resources.adopt(await connectBroker({ url: natsUrl, service: 'customers', logger }), closeBroker);
  const bus = await openBus({ ...broker, logger, follows: busAccessOf('customers').follows });
  const committed = openCommittedEvents();
  resources.adopt(startRelay({ em, publish: bus.publish, committed, logger }), it => it.stop());
  const outbox = openOutbox(em, { committed });
  const running = resources.move();
  return {
    commit: ({ teamId, projectId }, changes) =>
      outbox.transaction(async (_tx, publish) => {
        for (const { type, at, object, cause, data, previousAttributes } of changes) {
          const { sequence } = object;
          const change = { types: [type], sequence, at, cause, previousAttributes };
          const internal = { linkedToExisting: false, balance: null, version: sequence, deletedAt: null };
          const event = sequence === 1 ? CustomerCreated : CustomerUpdated;
          publish(event, teamId, event.data.parse({ projectId, ...data, ...internal, change }));
        }
      }),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}
