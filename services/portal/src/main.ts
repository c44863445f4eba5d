import { openRpcClient } from '@billing/messaging/rpc';
import { watchBackPressure } from '@billing/messaging/back-pressure';
import { openBus } from '@billing/messaging/bus';
import { closeBroker, connectBroker } from '@billing/messaging/connection';
import { forgetProcessed } from '@billing/messaging/inbox';
import { startRelay } from '@billing/messaging/relay';
import { openTeamProcessors } from '@billing/processor/team-processors';
import { startCleaning } from '@billing/service/cleaning';
import { migrate, ping } from '@billing/service/database';
import { forgetIdempotentRequests } from '@billing/service/idempotency';
import { runService } from '@billing/service/lifecycle';
import { identityTokenVerifier } from '@billing/service/identity-token';
import { tokenKeyFrom } from '#domain/token.ts';
import { createApp } from './app.ts';
import { customerEvents } from './consumers/customer-events.ts';
import { portalEnv } from './env.ts';
import { deleteExpiredSessions } from './jobs/delete-expired-sessions.ts';
import { openDatabase } from './persistence/database.ts';

await runService('portal', portalEnv, async ({ env, logger, resources }) => {
  const database = resources.adopt(openDatabase(env.DATABASE_URL), it => it.close());
  await migrate(database);
  const { em } = database;

  const nats = resources.adopt(await connectBroker(env.NATS_URL, 'portal'), closeBroker);
  const bus = await openBus({ nats, logger });
  const rpc = openRpcClient(bus);
  const processorBaseUrl = env.STRIPE_API_BASE_URL;
  const processors = resources.adopt(
    openTeamProcessors({ ...bus, rpc, credentialsKey: env.CREDENTIALS_KEY, baseUrl: processorBaseUrl }),
    it => it.close(),
  );

  const { receive } = customerEvents(em, logger);
  resources.defer(await bus.consume('portal-customers', 'customer.deleted.v1', receive));
  resources.defer(startRelay(em, bus.publish, logger));
  const backlog = resources.adopt(watchBackPressure(em, { highWater: env.OUTBOX_HIGH_WATER, logger }), it =>
    it.close(),
  );
  const tasks = [() => forgetProcessed(em), () => forgetIdempotentRequests(em), () => deleteExpiredSessions(em)];
  resources.defer(startCleaning(logger, ...tasks));

  const app = createApp({
    em,
    rpc,
    processors,
    publicUrl: env.PUBLIC_URL,
    tokenKey: tokenKeyFrom(env.CREDENTIALS_KEY),
    processorBaseUrl,
    now: () => new Date(),
    logger,
    verifyIdentityToken: identityTokenVerifier(env.IDENTITY_PUBLIC_KEY, 'portal'),
    checks: { database: () => ping(database), broker: bus.ping },
    isOverloaded: backlog.isOverloaded,
  });
  resources.adopt(app, it => it.close());
  await app.listen({ host: env.HOST, port: env.PORT });
});
