import { openAsking } from '@billing/messaging/ask';
import { watchBacklog } from '@billing/messaging/backlog';
import { openBus } from '@billing/messaging/bus';
import { closeBroker, connectBroker } from '@billing/messaging/connection';
import { forgetProcessed } from '@billing/messaging/inbox';
import { startRelay } from '@billing/messaging/relay';
import { openTeamProcessors } from '@billing/processor/team-processors';
import { startCleaning } from '@billing/service-kit/cleaning';
import { migrate, ping } from '@billing/service-kit/database';
import { forgetIdempotentRequests } from '@billing/service-kit/idempotency';
import { runService } from '@billing/service-kit/lifecycle';
import { statementVerifier } from '@billing/service-kit/principal';
import { startReconciler } from '@billing/processor/journal/reconciler';
import { openCustomersJournal } from '#operations/open-journal.ts';
import { openDatabase } from '#persistence/database.ts';
import { answerAboutCustomers } from './answers/customers.ts';
import { createApp } from './app.ts';
import { customersEnv } from './env.ts';
import { reactToCustomers } from './reactions/customers.ts';

await runService('customers', customersEnv, async ({ env, logger, resources }) => {
  const database = resources.adopt(openDatabase(env.DATABASE_URL), it => it.close());
  await migrate(database);
  const { em } = database;
  const nats = resources.adopt(await connectBroker(env.NATS_URL, 'customers'), closeBroker);
  const bus = await openBus({ nats, logger });
  const { root } = bus;

  const processors = resources.adopt(
    openTeamProcessors({
      asking: openAsking({ nats, root }),
      nats,
      root,
      credentialsKey: env.CREDENTIALS_KEY,
      baseUrl: env.STRIPE_API_BASE_URL,
    }),
    it => it.close(),
  );
  const journal = openCustomersJournal({ em, processors, logger });
  resources.defer(startReconciler({ journal, em, logger }));

  const customers = reactToCustomers({ em, processors, logger });
  resources.defer(await bus.consume('customers', 'processor.customer.*.v1', customers.receive));
  resources.defer(answerAboutCustomers({ em, nats, root, logger }));
  resources.defer(startRelay(em, bus.publish, logger));
  const backlog = resources.adopt(watchBacklog(em, { highWater: env.OUTBOX_HIGH_WATER, logger }), it => it.close());
  const tasks = [() => forgetProcessed(em), () => forgetIdempotentRequests(em)];
  resources.defer(startCleaning(logger, ...tasks));

  const verifyStatement = statementVerifier(env.IDENTITY_PUBLIC_KEY, 'customers');
  const checks = { database: () => ping(database), broker: () => bus.ping() };
  const app = resources.adopt(
    createApp({ database, journal, verifyStatement, logger, checks, refusesWrites: backlog.isFull }),
    it => it.close(),
  );
  await app.listen({ port: env.PORT, host: env.HOST });
});
