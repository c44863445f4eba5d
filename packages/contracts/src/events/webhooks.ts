import { z } from 'zod';
import { ProjectId, WebhookEndpointId } from '../ids.ts';
import { SERVICES, type ServiceName } from '../operation.ts';
import { timestamp } from '../timestamp.ts';
import { defineEvent } from '../event.ts';
import { version } from '../version.ts';

/** How many webhook events a project has, and how those ended that have. A higher `version` is newer. */
export const webhookEventCounts = z.object({ total: z.int(), processed: z.int(), failed: z.int(), version });
export type WebhookEventCounts = z.output<typeof webhookEventCounts>;

/** The numbers of a project's webhook events after a change. Events without a project are counted nowhere. */
export const WebhookEventsCounted = defineEvent(
  'webhook-events.counted.v1',
  webhookEventCounts.extend({ projectId: ProjectId.schema }),
);

/** A team's processor credentials changed; services that cache them must fetch them again. Carries no secret. */
export const ProcessorAccountChanged = defineEvent(
  'processor-account.changed.v1',
  z.object({ version, accountId: z.string(), livemode: z.boolean() }),
);

/**
 * A sync has recorded objects that the project did not have: what they were before `at`, when it started, is known only from
 * what they are now.
 */
export const SyncApplied = defineEvent('sync.applied.v1', z.object({ projectId: ProjectId.schema, at: timestamp }));

/** An endpoint of a tenant has not responded with success for a day, or was disabled; the team's owners are notified. */
export const WebhookEndpointFailed = defineEvent(
  'webhook-endpoint.failed.v1',
  z.object({
    projectId: ProjectId.schema,
    webhookEndpointId: WebhookEndpointId.schema,
    /** Without path and query, which may hold a secret. */
    host: z.string(),
    status: z.enum(['failing', 'disabled']),
    /** When the first attempt after the last success failed. */
    failingSince: timestamp,
  }),
);

/** The services that mirror a team's account, all of which take part in a purge. */
export const MIRRORING_SERVICES: readonly ServiceName[] = SERVICES.filter(service => service !== 'gateway');

const purge = z.object({ purgeId: z.uuid(), projectIds: z.array(ProjectId.schema) });

/** A team was disconnected, and everything that mirrors its account is to be deleted in all its projects. */
export const PurgeStarted = defineEvent('processor-account.purge-started.v1', purge);

/** Every service has deleted it; events from before `until` are about what is deleted. */
export const PurgeFinished = defineEvent('processor-account.purge-finished.v1', purge.extend({ until: timestamp }));

const purgeReport = z.object({
  purgeId: z.uuid(),
  step: z.enum(['started', 'finished']),
  service: z.enum(SERVICES),
  /** By the service's own clock. */
  at: timestamp,
});
export type PurgeReport = z.output<typeof purgeReport>;

/** A service has done a step of a purge. */
export const PurgeReported = defineEvent('processor-account.purge-reported.v1', purgeReport);
