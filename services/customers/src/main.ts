import { openRpcClient } from '@billing/messaging/rpc';
import { watchBackPressure } from '@billing/messaging/back-pressure';
import { openBus } from '@billing/messaging/bus';
import { closeBroker, connectBroker } from '@billing/messaging/connection';
import { forgetProcessed } from '@billing/messaging/inbox';
import { openCommittedEvents } from '@billing/messaging/committed-events';
import { openOutbox } from '@billing/messaging/outbox';
import { startRelay } from '@billing/messaging/relay';
import { openTeamProcessors } from '@billing/processor/team-processors';
import { startCleaning } from '@billing/service/cleaning';
import { migrate, ping } from '@billing/service/database';
import { deleteExpiredIdempotentRequests } from '@billing/service/idempotency';
import { runService } from '@billing/service/lifecycle';
import { identityTokenVerifier } from '@billing/service/identity-token';
import { deleteCanceledOperations } from '@billing/processor/operation-log/operation-rows';
import { startReconciler } from '@billing/processor/operation-log/reconciler';
import { openCustomersOperationLog } from '#operations/open-operation-log.ts';
import { openDatabase } from '#persistence/database.ts';
import { createApp } from './app.ts';
import { customerEvents } from './consumers/customers.ts';
import { customersEnv } from './env.ts';
import { customerRpc } from './rpc/customers.ts';

await runService('customers', customersEnv, async ({ env, logger, resources }) => {
  const database = resources.adopt(openDatabase(env.DATABASE_URL), it => it.close());
  await migrate(database);
  const { em } = database;
  const nats = resources.adopt(await connectBroker(env.NATS_URL, 'customers'), closeBroker);
  const bus = await openBus({ nats, logger });
  const { root } = bus;

  const processors = resources.adopt(
    openTeamProcessors({
      rpc: openRpcClient({ nats, root }),
      nats,
      root,
      credentialsKey: env.CREDENTIALS_KEY,
      baseUrl: env.STRIPE_API_BASE_URL,
    }),
    it => it.close(),
  );
  const committed = openCommittedEvents();
  const outbox = openOutbox(em, committed);
  const now = () => new Date();
  const operationLog = openCustomersOperationLog({ outbox, processors, logger, now });
  resources.adopt(startReconciler({ operationLog, logger }), it => it.stop());

  const customers = customerEvents({ em, processors, logger, now });
  resources.defer(await bus.consume('customers', 'processor.customer.*.v1', customers.receive));
  resources.defer(customerRpc({ em, nats, root, logger }));
  resources.adopt(startRelay({ em, publish: bus.publish, committed, logger }), it => it.stop());
  const backPressure = resources.adopt(watchBackPressure(em, { highWater: env.OUTBOX_HIGH_WATER, logger }), it =>
    it.close(),
  );
  const tasks = [
    () => forgetProcessed(em),
    () => deleteExpiredIdempotentRequests(em),
    () => deleteCanceledOperations(em),
  ];
  resources.defer(startCleaning(logger, ...tasks));

  const verifyIdentityToken = identityTokenVerifier(env.IDENTITY_PUBLIC_KEY, 'customers');
  const checks = { database: () => ping(database), broker: () => bus.ping() };
  const app = resources.adopt(
    createApp({ em, operationLog, now, verifyIdentityToken, logger, checks, isOverloaded: backPressure.isOverloaded }),
    it => it.close(),
  );
  await app.listen({ port: env.PORT, host: env.HOST });
});
