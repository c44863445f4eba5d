import { catalogRoutes } from './catalog/routes.ts';
import { defineService, rpcHandler } from '@billing/service/definition';
import { openServiceDatabase } from '@billing/service/service-database';
import { watchConnections } from '@billing/database/database';
import { FindProcessorCredentials, FindWebhookEventObject, ReportMissingObject } from '@billing/contracts/rpc/calls';
import { AreRecorded } from '@billing/contracts/rpc/test-clocks';
import { areRecorded } from './outgoing/are-recorded.ts';
import { CountWebhookEvents } from '@billing/contracts/rpc/list-states';
import { NEW_TRACES } from '@billing/service/limited-sampler';
import { openTokenBucket } from '@billing/service/token-bucket';
import { openSignedTraces } from '@billing/processor/signed-trace';
import { completionConsumer, projectCopies, routeConsumers } from './pipeline/consumers.ts';
import { webhooksEnv } from './env.ts';
import { deleteExpired, deleteOldEvents } from './receipt/delete-expired.ts';
import { queueNightlySyncs } from './sync/queue-nightly-syncs.ts';
import { openReconciler } from './receipt/reconciler.ts';
import { purgeOf, purgeReports } from './accounts/purge-account.ts';
import { webhooksSchema } from './schema.ts';
import { busiestTeams } from './pipeline/busiest-teams.ts';
import { openRefusedSignatures } from './receipt/refused-signatures.ts';
import { openSealedSecrets } from './accounts/sealed-secrets.ts';
import { openSigningSecrets } from './accounts/signing-secrets.ts';
import { continueTrace } from './receipt/continue-trace.ts';
import { readTotals } from './pipeline/event-totals.ts';
import { openPipeline } from './pipeline/pipeline.ts';
import { processorRoutes } from './accounts/routes.ts';
import { receiverRoutes } from './receipt/routes.ts';
import { syncRoutes } from './sync/routes.ts';
import { webhookEventRoutes } from './pipeline/routes.ts';
import { findProcessorCredentials } from './accounts/find-processor-credentials.ts';
import { findWebhookEventObject } from './pipeline/find-webhook-event-object.ts';
import { openStorageQuota } from './storage-quota.ts';
import { deliveryGauges, deliveryMetrics } from './outgoing/delivery-metrics.ts';
import { deliveryJob } from './outgoing/delivery-job.ts';
import { openCommitter } from './outgoing/commit-deliveries.ts';
import { readEndpointKeys } from './outgoing/endpoint-secrets.ts';
import { openPaces } from './outgoing/pace.ts';
import { openReader } from './outgoing/read-deliveries.ts';
import { continueRecovery } from './outgoing/recover.ts';
import { resolverOf } from './outgoing/resolve-names.ts';
import { openSender } from './outgoing/sender.ts';
import { openSlots } from './outgoing/slots.ts';
import { openTeamPaces } from './outgoing/team-paces.ts';
import { maintainPartitions } from './outgoing/partitions.ts';
import { eventRecorder } from './outgoing/record-events.ts';
import { reportFailure } from './outgoing/report-failure.ts';
import { openRecordedEvents } from './outgoing/recorded-events.ts';
import { webhookEndpointRoutes, eventRoutes } from './outgoing/routes.ts';
import { openEventWatch } from './outgoing/wait-for-events.ts';
import { endMissing } from './sync/end-missing.ts';
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
    const { env, em, readEm, outbox, bus, reads, now, logger, resources } = chassis;
    const openPool = async (poolName: string, poolSize: number) => {
      const schema = { ...webhooksSchema, poolName, poolSize };
      const database = resources.adopt(openServiceDatabase('webhooks', schema, env.DATABASE_URL, logger), it =>
        it.close(),
      );
      await watchConnections(database);
      return database.em;
    };
    const receipt = await openPool('receipt', RECEIPT_CONNECTIONS);
    const { SERVICE_KEYS: serviceKeys, STRIPE_API_BASE_URL: processorBaseUrl, PUBLIC_URL: publicUrl } = env;
    const sealed = openSealedSecrets({ keyRing: env.CREDENTIALS_KEYS, logger });
    const secrets = resources.adopt(openSigningSecrets({ follow: bus.follow, em: receipt, sealed }), it => it.close());
    const refusals = resources.adopt(openRefusedSignatures(em, logger), it => it.close());
    const pausesMs = env.ROUTING_PAUSES_SECONDS?.map(seconds => seconds * 1_000);
    const quota = openStorageQuota({ em, quotaBytes: env.QUOTA_BYTES, logger });
    const pipeline = openPipeline({ ...chassis, receipt, quota, publish: bus.publish, pausesMs });
    const checkoutKey = serviceKeys.get('subscriptions');
    const traces = checkoutKey ? openSignedTraces(checkoutKey) : { read: () => undefined };
    const continued = continueTrace(traces, openTokenBucket(NEW_TRACES));
    const reconciler = openReconciler({
      ...chassis,
      store: pipeline.store,
      continueTrace: continued,
      graceMs: env.RECONCILE_GRACE_SECONDS * 1_000,
      intervalMs: env.RECONCILE_INTERVAL_SECONDS * 1_000,
    });
    const syncs = syncJob({
      ...chassis,
      onStored: pipeline.wake,
      recheckMs: env.SYNC_RECHECK_SECONDS * 1_000,
      requestsPerSecond: env.SYNC_REQUESTS_PER_SECOND,
      quotaBytes: env.QUOTA_BYTES,
      queueNightly: async () => env.SYNC_NIGHTLY === 'on' && queueNightlySyncs(em, now()),
    });
    const recorded = openRecordedEvents();
    const watch = openEventWatch(readEm);
    const allowed = { targets: env.WEBHOOKS_ALLOW_ADDRESSES, ownPorts: env.WEBHOOKS_OWN_PORTS };
    const resolve = resolverOf(allowed);
    const sender = resources.adopt(openSender({ allowed, resolve, now }), it => it.close());
    const deliveryEm = await openPool('deliveries', DELIVERY_CONNECTIONS);
    const keysOf = readEndpointKeys(deliveryEm, sealed);
    const mayBegin = openTeamPaces(env.WEBHOOKS_DELIVERIES_PER_SECOND);
    const slots = openSlots({ mayBegin });
    const deliveries = deliveryJob({
      ...chassis,
      em: deliveryEm,
      read: openReader(deliveryEm),
      commit: openCommitter(deliveryEm, quota.isFull),
      sender,
      keysOf,
      slots,
      paceOf: openPaces(),
      continueRecovery: continueRecovery(reads),
      report: reportFailure({ outbox, now }),
      onRecorded: recorded.on,
      onAttempt: deliveryMetrics(),
      random: Math.random,
    });
    const onRecorded = (teamId: string): void => {
      recorded.emit(teamId);
      watch.look(scope => scope.teamId === teamId);
      deliveries.wake();
    };
    const [receives, delivers] = [env.WEBHOOKS_WORK.includes('receive'), env.WEBHOOKS_WORK.includes('deliver')];
    return {
      consumers: [
        eventRecorder(em, quota, onRecorded),
        projectCopies(),
        ...routeConsumers(pipeline.wake),
        completionConsumer(pipeline),
        purgeReports(),
      ],
      purge: purgeOf(em),
      rpc: [
        rpcHandler(FindProcessorCredentials, findProcessorCredentials({ em, sealed, serviceKeys })),
        rpcHandler(FindWebhookEventObject, findWebhookEventObject(em)),
        rpcHandler(ReportMissingObject, endMissing({ ...chassis, store: pipeline.store })),
        rpcHandler(AreRecorded, async ({ objects, ...scope }) => ({
          areRecorded: await areRecorded(em.fork(), scope, objects),
        })),
        rpcHandler(CountWebhookEvents, ({ teamId, projectId }) => readTotals(em.fork(), teamId, projectId)),
      ],
      jobs: [
        ...(delivers ? [deliveries] : []),
        () => quota.start(),
        ...(receives ? [pipeline, syncs, () => reconciler.start()] : []),
      ],
      gauges: [busiestTeams(em), quota.gauge, ...deliveryGauges(em, { slots, watch })],
      cleaning: [
        () => deleteExpired(em),
        () => deleteOldEvents(em, { days: env.PAYLOAD_RETENTION_DAYS }),
        () => cleanSyncs(em),
        () => maintainPartitions(em, { retentionDays: env.WEBHOOKS_RETENTION_DAYS, now: now() }),
      ],
      routes: [
        processorRoutes({ ...chassis, sealed, processorBaseUrl, publicUrl, secrets, quotaBytes: env.QUOTA_BYTES }),
        receiverRoutes({
          ...chassis,
          isTeamFull: quota.isFull,
          secrets,
          store: pipeline.store,
          continueTrace: continued,
          onRefused: teamId => refusals.add(teamId),
        }),
        webhookEventRoutes({ reads, outbox, onDue: pipeline.wake }),
        eventRoutes({ reads, watch }),
        webhookEndpointRoutes({
          ...chassis,
          sealed,
          allowed,
          resolve,
          sender,
          keysOf,
          onTest: mayBegin,
          retentionDays: env.WEBHOOKS_RETENTION_DAYS,
          onDue: deliveries.wake,
        }),
        syncRoutes({ reads, outbox, now, onQueued: syncs.wake }),
        catalogRoutes({ ...chassis, quotaBytes: env.QUOTA_BYTES, onQueued: syncs.wake }),
      ],
    };
  },
});
