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
import { deleteExpiredIdempotentRequests } from '@billing/service/idempotency';
import { runService } from '@billing/service/lifecycle';
import { openApiKeyCache } from '#auth/api-key-cache.ts';
import { identityTokens } from '#auth/identity-tokens.ts';
import { createRateLimits } from '#auth/rate-limits.ts';
import { openSignIn } from '#auth/sign-in.ts';
import { derivationKeyFrom } from '#domain/api-key-secret.ts';
import { listen } from '#http/server.ts';
import { findProject } from '#operations/find-projects.ts';
import { openDatabase } from '#persistence/database.ts';
import { openServiceProxy } from '#proxy/service-proxy.ts';
import { openWebhookForwarder } from '#proxy/webhook-forwarder.ts';
import { serviceChecks } from '#routes/health.ts';
import { listProjectStates } from '#rpc/projects.ts';
import { createApp } from './app.ts';
import { gatewayEnv, rateLimitSettings, serviceUrls } from './env.ts';

await runService('gateway', gatewayEnv, async ({ env, logger, resources }) => {
  const now = () => new Date();
  const publicUrl = env.PUBLIC_URL;
  const urls = serviceUrls(env);

  const database = resources.adopt(openDatabase(env.DATABASE_URL), it => it.close());
  await migrate(database);
  const { em } = database;
  const signIn = resources.adopt(
    await openSignIn({ databaseUrl: env.DATABASE_URL, publicUrl, secret: env.AUTH_SECRET, logger }),
    it => it.close(),
  );
  const nats = resources.adopt(await connectBroker(env.NATS_URL, 'gateway'), closeBroker);
  const bus = await openBus({ nats, logger });
  resources.defer(serveRpc({ nats, root: bus.root, logger }, FindProject, findProject({ em })));
  resources.defer(serveRpc({ nats, root: bus.root, logger }, ListProjectStates, listProjectStates({ em })));
  resources.defer(startRelay(em, bus.publish, logger));
  const backlog = resources.adopt(watchBackPressure(em, { highWater: env.OUTBOX_HIGH_WATER, logger }), it =>
    it.close(),
  );
  resources.defer(startCleaning(logger, () => deleteExpiredIdempotentRequests(em)));

  const apiKeys = resources.adopt(openApiKeyCache({ em, now, logger }), it => it.close());
  const tokenFor = identityTokens(env.IDENTITY_PRIVATE_KEY, now);
  const proxy = resources.adopt(openServiceProxy({ urls, tokenFor }), it => it.close());
  const webhooks = resources.adopt(openWebhookForwarder({ url: urls.webhooks, tokenFor }), it => it.close());
  const app = createApp({
    operations: allOperations,
    database,
    signIn,
    apiKeys,
    rateLimits: createRateLimits(rateLimitSettings(env)),
    proxy,
    webhooks,
    checks: { database: () => ping(database), broker: () => bus.ping(), ...serviceChecks(urls) },
    isOverloaded: backlog.isOverloaded,
    logger,
    now,
    publicUrl,
    keyMode: env.KEY_MODE,
    derivationKey: derivationKeyFrom(env.AUTH_SECRET),
    trustProxy: env.TRUST_PROXY,
  });
  resources.adopt(await listen(app, { host: env.HOST, port: env.PORT }), it => it.close());
});
