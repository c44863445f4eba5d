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
import { resumeCheckouts, startResuming } from '#operations/resume-checkouts.ts';
import { openDatabase } from '#persistence/database.ts';
import { startConsumers } from '#reactions/consumers.ts';
import { createApp } from './app.ts';
import { subscriptionsEnv } from './env.ts';
import { answerQuestions } from './questions/answers.ts';

await runService('subscriptions', subscriptionsEnv, async ({ env, logger, resources }) => {
  const database = resources.adopt(openDatabase(env.DATABASE_URL), it => it.close());
  const { em } = database;
  await migrate(database);

  const nats = resources.adopt(await connectBroker(env.NATS_URL, 'subscriptions'), closeBroker);
  const bus = await openBus({ nats, logger });
  const rpc = openRpcClient(bus);
  const { CREDENTIALS_KEY: credentialsKey, STRIPE_API_BASE_URL: baseUrl } = env;
  const processors = resources.adopt(openTeamProcessors({ ...bus, rpc, credentialsKey, baseUrl }), it => it.close());
  const dependencies = { em, rpc, processors, logger };

  resources.defer(startRelay(em, bus.publish, logger));
  const backlog = resources.adopt(watchBackPressure(em, { highWater: env.OUTBOX_HIGH_WATER, logger }), it =>
    it.close(),
  );
  resources.defer(await startConsumers(bus, dependencies));
  resources.defer(answerQuestions(bus, dependencies));
  resources.defer(startResuming(resumeCheckouts(dependencies), logger));
  const tasks = [() => forgetProcessed(em), () => forgetIdempotentRequests(em)];
  resources.defer(startCleaning(logger, ...tasks));

  const checks = { database: () => ping(database), broker: () => bus.ping() };
  const verifyIdentityToken = identityTokenVerifier(env.IDENTITY_PUBLIC_KEY, 'subscriptions');
  const app = resources.adopt(
    createApp({ ...dependencies, verifyIdentityToken, checks, isOverloaded: backlog.isOverloaded }),
    it => it.close(),
  );
  await app.listen({ host: env.HOST, port: env.PORT });
});
