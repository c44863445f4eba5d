import { openBus } from '@billing/messaging/bus';
import { closeBroker, connectBroker } from '@billing/messaging/connection';
import { consume } from '@billing/messaging/consumer/consume';
import { openOutbox } from '@billing/messaging/outbox';
import { forgetProcessed } from '@billing/messaging/inbox';
import { openRpcClient } from '@billing/messaging/rpc';
import { startCleaning } from '@billing/service/cleaning';
import { migrate, ping } from '@billing/service/database';
import { serviceEnv } from '@billing/service/env';
import { identityTokenVerifier } from '@billing/service/identity-token';
import { runService } from '@billing/service/lifecycle';
import { createApp } from './app.ts';
import { analyticsEvents } from './consumers/events.ts';
import { openDatabase } from './persistence/database.ts';

await runService('analytics', serviceEnv, async ({ env, logger, resources }) => {
  const database = resources.adopt(openDatabase(env.DATABASE_URL), it => it.close());
  await migrate(database);

  const nats = resources.adopt(await connectBroker(env.NATS_URL, 'analytics'), closeBroker);
  const bus = await openBus({ nats, logger });
  const outbox = openOutbox(database.em);
  for (const consumer of analyticsEvents()) resources.defer(await consume(consumer, { bus, outbox, logger }));
  resources.defer(startCleaning(logger, () => forgetProcessed(database.em)));

  const app = createApp({
    database,
    rpc: openRpcClient(bus),
    logger,
    verifyIdentityToken: identityTokenVerifier(env.IDENTITY_PUBLIC_KEY, 'analytics'),
    now: () => new Date(),
    checks: { database: () => ping(database), broker: () => bus.ping() },
  });
  resources.adopt(app, it => it.close());
  await app.listen({ host: env.HOST, port: env.PORT });
});
