import { EventsRecorded } from '@billing/contracts/events/resources';
import { defineService, rpcHandler } from '@billing/service/definition';
import { openServiceDatabase } from '@billing/service/service-database';
import { watchConnections } from '@billing/database/database';
import { FindProcessorCredentials, FindWebhookEventObject } from '@billing/contracts/rpc/calls';
import { ListWebhookEventStates } from '@billing/contracts/rpc/list-states';
import { openTraceLimit } from '@billing/tracing/trace-limit';
import { openSignedTraces } from '@billing/processor/signed-trace';
import { completionConsumer, purgeReports } from './consumers/reports.ts';
import { projectCopies, routeConsumers } from './consumers/routes.ts';
import { webhooksEnv } from './env.ts';
import { deleteExpired, deletePayloads } from './jobs/delete-expired.ts';
import { openPayloadQuota } from './jobs/payload-quota.ts';
import { queueNightlySyncs } from './jobs/queue-nightly-syncs.ts';
import { openReconciler } from './jobs/reconciler.ts';
import { purgeOf } from './operations/purge-account.ts';
import { webhooksSchema } from './persistence/schema.ts';
import { busiestTeams } from './persistence/busiest-teams.ts';
import { openRefusedSignatures } from './persistence/refused-signatures.ts';
import { openSealedSecrets } from './persistence/sealed-secrets.ts';
import { openSigningSecrets } from './persistence/signing-secrets.ts';
import { continueTrace } from './pipeline/continue-trace.ts';
import { openPipeline } from './pipeline/pipeline.ts';
import { processorRoutes } from './routes/processor.ts';
import { receiverRoutes } from './routes/receiver.ts';
import { syncRoutes } from './routes/syncs.ts';
import { webhookEventRoutes } from './routes/webhook-events.ts';
import { findProcessorCredentials } from './rpc/find-processor-credentials.ts';
import { findWebhookEventObject } from './rpc/find-webhook-event-object.ts';
import { listWebhookEventStates } from './rpc/list-webhook-event-states.ts';
import { openTeamReads, READ_CONNECTIONS } from './persistence/team-reads.ts';
import { deliveryGauges, deliveryMetrics } from './outgoing/delivery-metrics.ts';
import { deliveryJob } from './outgoing/delivery-job.ts';
import { openDeliveryStore } from './outgoing/delivery-store.ts';
import { readEndpointKeys } from './outgoing/endpoint-secrets.ts';
import { openPaces } from './outgoing/pace.ts';
import { resolverOf } from './outgoing/resolve-names.ts';
import { openSender } from './outgoing/sender.ts';
import { openSlots } from './outgoing/slots.ts';
import { maintainPartitions } from './outgoing/partitions.ts';
import { eventRecorder } from './outgoing/record-events.ts';
import { reportFailure } from './outgoing/report-failure.ts';
import { openRecordedEvents } from './outgoing/recorded-events.ts';
import { webhookEndpointRoutes } from './routes/webhook-endpoints.ts';
import { eventRoutes } from './routes/events.ts';
import { cleanSyncs } from './sync/complete-sync.ts';
import { syncJob } from './sync/run-sync.ts';

/** Connections for the receipt of webhooks: three batches that are stored, and two reads of signing secrets. */
const RECEIPT_CONNECTIONS = 5;
/** Connections for deliveries, which must take none from the receipt of webhooks. */
const DELIVERY_CONNECTIONS = 5;

/** The parts of the webhooks service; the chassis runs them. */
export const webhooks = defineService({
  name: 'webhooks',
  env: webhooksEnv,
  database: webhooksSchema,
  parts: async chassis => {
    const { env, em, outbox, bus, now, logger, resources } = chassis;
    const openPool = async (poolName: string, poolSize: number) => {
      const schema = { ...webhooksSchema, poolName, poolSize };
      const database = resources.adopt(openServiceDatabase('webhooks', schema, env.DATABASE_URL, logger), it =>
        it.close(),
      );
      await watchConnections(database);
      return database.em;
    };
    const receipt = await openPool('receipt', RECEIPT_CONNECTIONS);
    const reads = openTeamReads(await openPool('reads', READ_CONNECTIONS));
    const { SERVICE_KEYS: serviceKeys, STRIPE_API_BASE_URL: processorBaseUrl, PUBLIC_URL: publicUrl } = env;
    const sealed = openSealedSecrets({ keyRing: env.CREDENTIALS_KEYS, logger });
    const secrets = resources.adopt(openSigningSecrets({ follow: bus.follow, em: receipt, sealed }), it => it.close());
    const refusals = resources.adopt(openRefusedSignatures(em, logger), it => it.close());
    const pausesMs = env.ROUTING_PAUSES_SECONDS?.map(seconds => seconds * 1_000);
    const pipeline = openPipeline({ ...chassis, receipt, publish: bus.publish, pausesMs });
    const checkoutKey = serviceKeys.get('subscriptions');
    const traces = checkoutKey ? openSignedTraces(checkoutKey) : { read: () => undefined };
    const continued = continueTrace(traces, openTraceLimit());
    const reconciler = openReconciler({
      ...chassis,
      store: pipeline.store,
      continueTrace: continued,
      graceMs: env.RECONCILE_GRACE_SECONDS * 1_000,
      intervalMs: env.RECONCILE_INTERVAL_SECONDS * 1_000,
    });
    const quota = openPayloadQuota({ em, quotaBytes: env.QUOTA_WEBHOOK_BYTES, logger });
    const syncs = syncJob({
      ...chassis,
      onStored: pipeline.wake,
      recheckMs: env.SYNC_RECHECK_SECONDS * 1_000,
      requestsPerSecond: env.SYNC_REQUESTS_PER_SECOND,
      queueNightly: async () => env.SYNC_NIGHTLY === 'on' && queueNightlySyncs(em, now()),
    });
    const recorded = openRecordedEvents();
    const allowed = { targets: env.WEBHOOKS_ALLOW_ADDRESSES, ownPorts: env.WEBHOOKS_OWN_PORTS };
    const resolve = resolverOf(allowed);
    const sender = resources.adopt(openSender({ allowed, resolve, now }), it => it.close());
    const deliveryEm = await openPool('deliveries', DELIVERY_CONNECTIONS);
    const keysOf = readEndpointKeys(deliveryEm, sealed);
    const slots = openSlots();
    const deliveries = deliveryJob({
      ...chassis,
      em: deliveryEm,
      store: openDeliveryStore(deliveryEm),
      sender,
      keysOf,
      slots,
      paceOf: openPaces(),
      report: reportFailure({ outbox, now }),
      onRecorded: recorded.on,
      onAttempt: deliveryMetrics(),
      random: Math.random,
    });
    const stopFollowing = bus.follow(EventsRecorded, teamId => {
      recorded.emit(teamId);
      deliveries.wake();
    });
    resources.adopt(stopFollowing, stop => stop());
    const [receives, delivers] = [env.WEBHOOKS_WORK.includes('receive'), env.WEBHOOKS_WORK.includes('deliver')];
    return {
      consumers: [
        eventRecorder(em),
        projectCopies(),
        ...routeConsumers(pipeline.wake),
        completionConsumer(pipeline),
        purgeReports(),
      ],
      purge: purgeOf(em),
      rpc: [
        rpcHandler(FindProcessorCredentials, findProcessorCredentials({ em, sealed, serviceKeys })),
        rpcHandler(FindWebhookEventObject, findWebhookEventObject(em)),
        rpcHandler(ListWebhookEventStates, listWebhookEventStates(em)),
      ],
      jobs: [
        ...(delivers ? [deliveries] : []),
        () => quota.start(),
        ...(receives ? [pipeline, syncs, () => reconciler.start()] : []),
      ],
      gauges: [busiestTeams(em), ...deliveryGauges(em, slots)],
      cleaning: [
        () => deleteExpired(em),
        () => deletePayloads(em, { days: env.PAYLOAD_RETENTION_DAYS }),
        () => cleanSyncs(em),
        () => maintainPartitions(em, { retentionDays: env.WEBHOOKS_RETENTION_DAYS, now: now() }),
      ],
      routes: [
        processorRoutes({ ...chassis, reads, sealed, processorBaseUrl, publicUrl, secrets }),
        receiverRoutes({
          ...chassis,
          isTeamOverloaded: teamId => chassis.isTeamOverloaded(teamId) || quota.isFull(teamId),
          secrets,
          store: pipeline.store,
          continueTrace: continued,
          onRefused: teamId => refusals.add(teamId),
        }),
        webhookEventRoutes({ reads, outbox, onDue: pipeline.wake }),
        eventRoutes({ reads, recorded, isClosing: chassis.health.isClosing ?? (() => false) }),
        webhookEndpointRoutes({
          ...chassis,
          reads,
          sealed,
          allowed,
          resolve,
          sender,
          keysOf,
          retentionDays: env.WEBHOOKS_RETENTION_DAYS,
          onDue: deliveries.wake,
        }),
        syncRoutes({ reads, outbox, now, onQueued: syncs.wake }),
      ],
    };
  },
});
