import { FindProject } from '@billing/contracts/rpc/calls';
import { ListProjectStates } from '@billing/contracts/rpc/list-states';
import { allOperations } from '@billing/contracts/operations/index';
import { serveRpc } from '@billing/messaging/rpc';
import { watchBackPressure } from '@billing/messaging/back-pressure';
import { openBus } from '@billing/messaging/bus';
import { closeBroker, connectBroker } from '@billing/messaging/connection';
import { startRelay } from '@billing/messaging/relay';
import { startCleaning } from '@billing/service/cleaning';
import { migrate, ping } from '@billing/service/database';
import { forgetIdempotentRequests } from '@billing/service/idempotency';
import { runService } from '@billing/service/lifecycle';
import { openKeyRing } from '#admission/keys.ts';
import { createLimits } from '#admission/limits.ts';
import { secretKeyFrom } from '#domain/api-key-secret.ts';
import { openDeliveries } from '#forwarding/deliveries.ts';
import { openForwarding } from '#forwarding/forward.ts';
import { createIdentityTokens } from '#forwarding/statements.ts';
import { listen } from '#http/server.ts';
import { findProject } from '#operations/projects.ts';
import { openDatabase } from '#persistence/database.ts';
import { serviceChecks } from '#routes/health.ts';
import { openSignIn } from '#sign-in/sign-in.ts';
import { createApp } from './app.ts';
import { gatewayEnv, serviceUrls } from './env.ts';
import { listProjectStates } from './questions/records.ts';

await runService('gateway', gatewayEnv, async ({ env, logger, resources }) => {
  const now = () => new Date();
  const publicUrl = env.PUBLIC_URL;
  const urls = serviceUrls(env);

  const database = resources.adopt(openDatabase(env.DATABASE_URL), it => it.close());
  await migrate(database);
  const signIn = resources.adopt(
    await openSignIn({ databaseUrl: env.DATABASE_URL, publicUrl, secret: env.AUTH_SECRET, logger }),
    it => it.close(),
  );
  const nats = resources.adopt(await connectBroker(env.NATS_URL, 'gateway'), closeBroker);
  const bus = await openBus({ nats, logger });
  resources.defer(serveRpc({ nats, root: bus.root, logger }, FindProject, findProject(database.em)));
  resources.defer(serveRpc({ nats, root: bus.root, logger }, ListProjectStates, listProjectStates(database.em)));
  resources.defer(startRelay(database.em, bus.publish, logger));
  const backlog = resources.adopt(watchBackPressure(database.em, { highWater: env.OUTBOX_HIGH_WATER, logger }), it =>
    it.close(),
  );
  resources.defer(startCleaning(logger, () => forgetIdempotentRequests(database.em)));

  const keys = resources.adopt(openKeyRing(database.em, now, logger), it => it.close());
  const state = createIdentityTokens(env.IDENTITY_PRIVATE_KEY, now);
  const forwarding = resources.adopt(openForwarding({ urls, state }), it => it.close());
  const deliveries = resources.adopt(openDeliveries({ url: urls.webhooks, state }), it => it.close());
  const limits = createLimits({
    perKey: env.RATE_LIMIT_PER_KEY,
    sessionCreation: env.RATE_LIMIT_SESSION_CREATION,
    signIn: env.RATE_LIMIT_SIGN_IN,
    badPortalTokens: env.RATE_LIMIT_BAD_PORTAL_TOKENS,
  });
  const app = createApp({
    operations: allOperations,
    database,
    signIn,
    keys,
    limits,
    forwarding,
    deliveries,
    checks: { database: () => ping(database), broker: () => bus.ping(), ...serviceChecks(urls) },
    isOverloaded: backlog.isOverloaded,
    logger,
    now,
    publicUrl,
    keyMode: env.KEY_MODE,
    secretKey: secretKeyFrom(env.AUTH_SECRET),
    trustProxy: env.TRUST_PROXY,
  });
  resources.adopt(await listen(app, { host: env.HOST, port: env.PORT }), it => it.close());
});
