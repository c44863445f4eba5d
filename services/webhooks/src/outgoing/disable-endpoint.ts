import { randomUUID } from 'node:crypto';
import { webhookEndpoint } from '@billing/contracts/resources/webhook-endpoint';
import type { Outbox } from '@billing/messaging/outbox';
import { auditOfCommand, recordAudit } from '@billing/service/audit';
import { CAUSED_BY_SYSTEM } from '@billing/service/event-causes';
import { publishResource } from '@billing/service/publish-resource';
import { commitDeliveries } from './commit-deliveries.ts';
import type { DeliverParts } from './deliver.ts';
import { findEndpoint, showEndpoints } from './show-endpoints.ts';

/**
 * Commits the attempt that disables an endpoint, and tells of it: as an event of the project, and in the audit log as done by
 * the system.
 */
export function disableEndpoint({ outbox, now }: { readonly outbox: Outbox; readonly now: () => Date }) {
  const disable: DeliverParts['disable'] = ({ id, teamId, projectId, status, ...leased }, progress) =>
    outbox.transaction(async (tx, publish) => {
      const leasedEndpoint = { id, teamId, projectId, status, ...leased };
      const [news] = await commitDeliveries(tx, [{ endpoint: leasedEndpoint, ...progress }]);
      if (!news) return undefined;
      const endpoint = await findEndpoint(tx, { teamId, projectId }, id);
      const [resource] = await showEndpoints(tx, [endpoint]);
      const after = webhookEndpoint.encode(resource as NonNullable<typeof resource>); // one for each row
      const before = endpoint.sequence === 0 ? null : { ...after, status, disabledReason: null };
      publishResource(publish, endpoint, {
        object: { type: 'webhook_endpoint', id },
        before,
        after,
        at: now(),
        cause: CAUSED_BY_SYSTEM,
      });
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
      return news;
    });
  return disable;
}
