import { FindProcessorCredentials } from '@billing/contracts/rpc/calls';
import { ListWebhookEventStates } from '@billing/contracts/rpc/list-states';
import { serveRpc, openRpcClient } from '@billing/messaging/rpc';
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
import { wipeExpiredSecrets } from '#accounts/rotate-signing-secret.ts';
import { openSigningSecrets } from '#accounts/signing-secrets.ts';
import { findProcessorCredentials } from '#operations/find-processor-credentials.ts';
import { forgetPayloads } from '#operations/forget-payloads.ts';
import { healTeam } from '#healing/heal-team.ts';
import { startHealer } from '#healing/healer.ts';
import { askRoute } from '#processing/ask-route.ts';
import { completeFacts } from '#processing/complete-facts.ts';
import { processEvents } from '#processing/process-events.ts';
import { startWorker } from '#processing/worker.ts';
import { createApp } from './app.ts';
import { webhooksEnv } from './env.ts';
import { openDatabase } from './persistence/database.ts';
import { listWebhookEventStates } from './questions/records.ts';
import { consumeFacts } from './reactions/consume.ts';

await runService('webhooks', webhooksEnv, async ({ env, logger, resources }) => {
  const { CREDENTIALS_KEY: credentialsKey, STRIPE_API_BASE_URL: processorBaseUrl, PUBLIC_URL: publicUrl } = env;
  const database = resources.adopt(openDatabase(env.DATABASE_URL), it => it.close());
  await migrate(database);
  const { em } = database;

  const nats = resources.adopt(await connectBroker(env.NATS_URL, 'webhooks'), closeBroker);
  const bus = await openBus({ nats, logger });
  const rpc = openRpcClient(bus);
  const secrets = resources.adopt(openSigningSecrets({ ...bus, em, credentialsKey }), it => it.close());
  resources.defer(serveRpc({ ...bus, logger }, FindProcessorCredentials, findProcessorCredentials(em)));
  resources.defer(serveRpc({ ...bus, logger }, ListWebhookEventStates, listWebhookEventStates(em)));
  const processors = resources.adopt(
    openTeamProcessors({ ...bus, rpc, credentialsKey, baseUrl: processorBaseUrl }),
    it => it.close(),
  );

  const process = processEvents({
    em,
    ask: askRoute({ rpc, processors }),
    logger,
    pausesMs: env.ROUTING_PAUSES_SECONDS?.map(seconds => seconds * 1_000),
  });
  const worker = resources.adopt(startWorker({ em, process, logger }), it => it.stop());
  resources.defer(await consumeFacts({ em, bus, logger, onRoute: worker.wake }));
  resources.defer(startRelay(em, bus.publish, logger, { complete: completeFacts(em) }));
  const backlog = resources.adopt(watchBackPressure(em, { highWater: env.OUTBOX_HIGH_WATER, logger }), it =>
    it.close(),
  );
  const tasks = [
    () => forgetProcessed(em),
    () => forgetIdempotentRequests(em),
    () => wipeExpiredSecrets(em),
    () => forgetPayloads(em, { days: env.PAYLOAD_RETENTION_DAYS }),
  ];
  resources.defer(startCleaning(logger, ...tasks));

  const heal = healTeam({ em, processors, logger, graceMs: env.HEALING_GRACE_SECONDS * 1_000 });
  const intervalMs = env.HEALING_INTERVAL_SECONDS * 1_000;
  resources.defer(
    startHealer({ em, heal, onRecovered: worker.wake, logger, intervalMs, isOverloaded: backlog.isOverloaded }),
  );

  const app = createApp({
    database,
    secrets,
    credentialsKey,
    processorBaseUrl,
    publicUrl,
    now: () => new Date(),
    onStored: worker.receive,
    logger,
    verifyIdentityToken: identityTokenVerifier(env.IDENTITY_PUBLIC_KEY, 'webhooks'),
    checks: { database: () => ping(database), broker: bus.ping },
    isOverloaded: backlog.isOverloaded,
  });
  resources.adopt(app, it => it.close());
  await app.listen({ host: env.HOST, port: env.PORT });
});
