import { ListReferralCodeStates, ListReferralStates } from '@billing/contracts/rpc/list-states';
import { watchBackPressure } from '@billing/messaging/back-pressure';
import { openBus } from '@billing/messaging/bus';
import { closeBroker, connectBroker } from '@billing/messaging/connection';
import { forgetProcessed, TOGETHER } from '@billing/messaging/inbox';
import { startRelay } from '@billing/messaging/relay';
import { openRpcClient, serveRpc } from '@billing/messaging/rpc';
import { openTeamProcessors } from '@billing/processor/team-processors';
import { startCleaning } from '@billing/service/cleaning';
import { migrate, ping } from '@billing/service/database';
import { forgetIdempotentRequests } from '@billing/service/idempotency';
import { identityTokenVerifier } from '@billing/service/identity-token';
import { runService } from '@billing/service/lifecycle';
import { createApp } from './app.ts';
import { customerEvents } from './consumers/customer-events.ts';
import { subscriptionEvents } from './consumers/subscription-events.ts';
import { referralsEnv } from './env.ts';
import { startSendingCredits } from './jobs/send-credits.ts';
import { resolveCustomer } from './operations/resolve-customer.ts';
import { sendCredit } from './operations/send-credit.ts';
import { openDatabase } from './persistence/database.ts';
import { listReferralCodeStates, listReferralStates } from './rpc/list-states.ts';

await runService('referrals', referralsEnv, async ({ env, logger, resources }) => {
  const database = resources.adopt(openDatabase(env.DATABASE_URL), it => it.close());
  await migrate(database);
  const { em } = database;
  const now = () => new Date();

  const nats = resources.adopt(await connectBroker(env.NATS_URL, 'referrals'), closeBroker);
  const bus = await openBus({ nats, logger });
  const rpc = openRpcClient(bus);
  const { CREDENTIALS_KEY: credentialsKey, STRIPE_API_BASE_URL: baseUrl } = env;
  const processors = openTeamProcessors({ ...bus, rpc, credentialsKey, baseUrl });
  resources.adopt(processors, it => it.close());

  const send = sendCredit({ em, resolve: resolveCustomer({ em, rpc }), processors, now, logger });
  resources.defer(startSendingCredits({ em, send, logger }));
  resources.defer(startRelay(em, bus.publish, logger));
  const backPressure = watchBackPressure(em, { highWater: env.OUTBOX_HIGH_WATER, logger });
  resources.adopt(backPressure, it => it.close());
  const served = { nats, root: bus.root, logger };
  resources.defer(serveRpc(served, ListReferralCodeStates, listReferralCodeStates({ em })));
  resources.defer(serveRpc(served, ListReferralStates, listReferralStates({ em })));
  resources.defer(
    startCleaning(
      logger,
      () => forgetProcessed(em),
      () => forgetIdempotentRequests(em),
    ),
  );
  const customers = customerEvents({ em, now, logger });
  const subscriptions = subscriptionEvents({ em, now, logger });
  resources.defer(await bus.consume('referrals-customers', 'customer.*.v1', customers.receive));
  resources.defer(
    await bus.consume('referrals-subscriptions', 'subscription.created.v1', subscriptions.receive, TOGETHER),
  );

  const app = createApp({
    em,
    rpc,
    logger,
    verifyIdentityToken: identityTokenVerifier(env.IDENTITY_PUBLIC_KEY, 'referrals'),
    now,
    checks: { database: () => ping(database), broker: () => bus.ping() },
    isOverloaded: backPressure.isOverloaded,
  });
  resources.adopt(app, it => it.close());
  await app.listen({ host: env.HOST, port: env.PORT });
});
