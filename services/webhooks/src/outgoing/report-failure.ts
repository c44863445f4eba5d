import { randomUUID } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import { WebhookEndpointFailed } from '@billing/contracts/events/webhooks';
import { webhookEndpoint } from '@billing/contracts/resources/webhook-endpoint';
import type { Outbox, Publish } from '@billing/messaging/outbox';
import { auditOfCommand, recordAudit } from '@billing/service/audit';
import { CAUSED_BY_SYSTEM } from '@billing/service/event-causes';
import { publicChangeOf } from '@billing/service/save-record';
import { publicEventsOf } from '@billing/contracts/events/public-data';
import { commitDeliveries } from './commit-deliveries.ts';
import type { DeliverParts } from './deliver.ts';
import type { LeasedEndpoint } from './endpoint-rows.ts';
import { recordChanges } from './record-events.ts';
import { findEndpoint, showEndpoint } from './show-endpoints.ts';

/**
 * Commits the attempt that disables an endpoint, or after which it has failed for a day, and reports that: the owners of the
 * team, and where it is disabled its tenants by an event and the audit log, as done by the system.
 */
export function reportFailure({ outbox, now }: { readonly outbox: Outbox; readonly now: () => Date }) {
  const report: DeliverParts['report'] = (leased, progress) =>
    outbox.transaction(async (tx, publish) => {
      const { id, teamId, projectId, url } = leased;
      const [news] = await commitDeliveries(tx, [{ endpoint: leased, ...progress }]);
      if (!news) return undefined;
      const { status, failingSince } = progress.health;
      publish(WebhookEndpointFailed, teamId, {
        projectId,
        webhookEndpointId: id,
        host: new URL(url).host,
        status: status === 'disabled' ? 'disabled' : 'failing',
        failingSince: failingSince ?? now(),
      });
      if (status === 'disabled') await recordDisabling(tx, publish, leased, now());
      return news;
    });
  return report;
}

async function recordDisabling(
  tx: EntityManager,
  publish: Publish,
  { id, teamId, projectId, status }: LeasedEndpoint,
  at: Date,
): Promise<void> {
  const endpoint = await findEndpoint(tx, { teamId, projectId }, id);
  const after = webhookEndpoint.encode(await showEndpoint(tx, endpoint));
  const before = endpoint.sequence === 0 ? null : { ...after, status, disabledReason: null };
  const change = publicChangeOf('webhook_endpoint', { before, after }, endpoint, { at, cause: CAUSED_BY_SYSTEM });
  if (change) endpoint.sequence = change.sequence;
  const changes = publicEventsOf({ ...after, change }).map(it => ({ teamId, ...it }));
  await recordChanges(tx, [{ changes, hasWaited: true }]);
  recordAudit(
    publish,
    teamId,
    { ...auditOfCommand('disableWebhookEndpoint', randomUUID(), projectId), actor: { type: 'system', id: null } },
    {
      target: { type: 'webhook_endpoint', id },
      changes: [
        { field: 'status', from: status, to: 'disabled' },
        { field: 'disabledReason', from: null, to: endpoint.disabledReason },
      ],
    },
  );
}
