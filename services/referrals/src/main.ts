import { openRpcClient } from '@billing/messaging/rpc';
import { watchBackPressure } from '@billing/messaging/back-pressure';
import { openBus } from '@billing/messaging/bus';
import { closeBroker, connectBroker } from '@billing/messaging/connection';
import { forgetProcessed, TOGETHER } from '@billing/messaging/inbox';
import { startRelay } from '@billing/messaging/relay';
import { openTeamProcessors } from '@billing/processor/team-processors';
import { startCleaning } from '@billing/service/cleaning';
import { migrate, ping } from '@billing/service/database';
import { forgetIdempotentRequests } from '@billing/service/idempotency';
import { runService } from '@billing/service/lifecycle';
import { identityTokenVerifier } from '@billing/service/identity-token';
import { createApp } from './app.ts';
import { startCrediting } from './crediting.ts';
import { referralsEnv } from './env.ts';
import { knowCustomer } from './operations/know-customer.ts';
import { settleCredit } from './operations/settle-credit.ts';
import { openDatabase } from './persistence/database.ts';
import { answerAboutRecords } from './questions/records.ts';
import { reactToCustomers } from './reactions/customers.ts';
import { reactToSubscriptions } from './reactions/subscriptions.ts';

await runService('referrals', referralsEnv, async ({ env, logger, resources }) => {
  const database = resources.adopt(openDatabase(env.DATABASE_URL), it => it.close());
  await migrate(database);
  const { em } = database;
  const clock = () => new Date();

  const nats = resources.adopt(await connectBroker(env.NATS_URL, 'referrals'), closeBroker);
  const bus = await openBus({ nats, logger });
  const rpc = openRpcClient(bus);
  const { CREDENTIALS_KEY: credentialsKey, STRIPE_API_BASE_URL: baseUrl } = env;
  const processors = openTeamProcessors({ ...bus, rpc, credentialsKey, baseUrl });
  resources.adopt(processors, it => it.close());

  const settle = settleCredit({ em, know: knowCustomer(em, rpc), processors, clock, logger });
  resources.defer(startCrediting({ em, settle, logger }));
  resources.defer(startRelay(em, bus.publish, logger));
  const backlog = resources.adopt(watchBackPressure(em, { highWater: env.OUTBOX_HIGH_WATER, logger }), it =>
    it.close(),
  );
  resources.defer(answerAboutRecords({ em, nats, root: bus.root, logger }));
  const tasks = [() => forgetProcessed(em), () => forgetIdempotentRequests(em)];
  resources.defer(startCleaning(logger, ...tasks));
  const customers = reactToCustomers(em, clock, logger);
  const subscriptions = reactToSubscriptions(em, clock, logger);
  resources.defer(await bus.consume('referrals-customers', 'customer.*.v1', customers.receive));
  resources.defer(
    await bus.consume('referrals-subscriptions', 'subscription.created.v1', subscriptions.receive, TOGETHER),
  );

  const app = createApp({
    database,
    rpc,
    logger,
    verifyIdentityToken: identityTokenVerifier(env.IDENTITY_PUBLIC_KEY, 'referrals'),
    clock,
    checks: { database: () => ping(database), broker: () => bus.ping() },
    isOverloaded: backlog.isOverloaded,
  });
  resources.adopt(app, it => it.close());
  await app.listen({ host: env.HOST, port: env.PORT });
});
