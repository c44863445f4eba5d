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
import { tokenKeyFrom } from '#domain/token.ts';
import { forgetExpired } from '#operations/forget-expired.ts';
import { createApp } from './app.ts';
import { portalEnv } from './env.ts';
import { openDatabase } from './persistence/database.ts';
import { reactToCustomers } from './reactions/customers.ts';

await runService('portal', portalEnv, async ({ env, logger, resources }) => {
  const database = resources.adopt(openDatabase(env.DATABASE_URL), it => it.close());
  await migrate(database);
  const { em } = database;

  const nats = resources.adopt(await connectBroker(env.NATS_URL, 'portal'), closeBroker);
  const bus = await openBus({ nats, logger });
  const asking = openAsking(bus);
  const processorBaseUrl = env.STRIPE_API_BASE_URL;
  const processors = resources.adopt(
    openTeamProcessors({ ...bus, asking, credentialsKey: env.CREDENTIALS_KEY, baseUrl: processorBaseUrl }),
    it => it.close(),
  );

  const { receive } = reactToCustomers(em, logger);
  resources.defer(await bus.consume('portal-customers', 'customer.deleted.v1', receive));
  resources.defer(startRelay(em, bus.publish, logger));
  const backlog = resources.adopt(watchBacklog(em, { highWater: env.OUTBOX_HIGH_WATER, logger }), it => it.close());
  const tasks = [() => forgetProcessed(em), () => forgetIdempotentRequests(em), () => forgetExpired(em)];
  resources.defer(startCleaning(logger, ...tasks));

  const app = createApp({
    database,
    asking,
    processors,
    publicUrl: env.PUBLIC_URL,
    tokenKey: tokenKeyFrom(env.CREDENTIALS_KEY),
    processorBaseUrl,
    logger,
    verifyStatement: statementVerifier(env.IDENTITY_PUBLIC_KEY, 'portal'),
    checks: { database: () => ping(database), broker: bus.ping },
    refusesWrites: backlog.isFull,
  });
  resources.adopt(app, it => it.close());
  await app.listen({ host: env.HOST, port: env.PORT });
});
