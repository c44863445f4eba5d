import { openRpcClient } from '@billing/messaging/rpc';
import { openBus } from '@billing/messaging/bus';
import { closeBroker, connectBroker } from '@billing/messaging/connection';
import { forgetProcessed, TOGETHER } from '@billing/messaging/inbox';
import { startCleaning } from '@billing/service/cleaning';
import { migrate, ping } from '@billing/service/database';
import { runService } from '@billing/service/lifecycle';
import { identityTokenVerifier } from '@billing/service/identity-token';
import { createApp } from './app.ts';
import { analyticsEnv } from './env.ts';
import { openDatabase } from './persistence/database.ts';
import { CONSUMERS, reactToFacts } from './reactions/facts.ts';

await runService('analytics', analyticsEnv, async ({ env, logger, resources }) => {
  const database = resources.adopt(openDatabase(env.DATABASE_URL), it => it.close());
  await migrate(database);

  const nats = resources.adopt(await connectBroker(env.NATS_URL, 'analytics'), closeBroker);
  const bus = await openBus({ nats, logger });
  const { receive } = reactToFacts(database.em, logger);
  for (const [consumer, filter] of Object.entries(CONSUMERS))
    resources.defer(await bus.consume(consumer, filter, receive, TOGETHER));
  resources.defer(startCleaning(logger, () => forgetProcessed(database.em)));

  const app = createApp({
    database,
    rpc: openRpcClient(bus),
    logger,
    verifyIdentityToken: identityTokenVerifier(env.IDENTITY_PUBLIC_KEY, 'analytics'),
    clock: () => new Date(),
    checks: { database: () => ping(database), broker: () => bus.ping() },
  });
  resources.adopt(app, it => it.close());
  await app.listen({ host: env.HOST, port: env.PORT });
});
