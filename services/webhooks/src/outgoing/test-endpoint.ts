import type { PublicEventType } from '@billing/contracts/event-types';
import { EventId, type ProjectScope, type WebhookEndpointId } from '@billing/contracts/ids';
import { Problem } from '@billing/contracts/problem';
import type { AuditContext } from '@billing/contracts/resources/audit-entry';
import { eventExample } from '@billing/contracts/resources/event-data';
import type { WebhookAttempt } from '@billing/contracts/resources/webhook-delivery';
import type { Outbox } from '@billing/messaging/outbox';
import { recordAudit } from '@billing/service/audit';
import { post } from './attempt.ts';
import type { EndpointKeys } from './endpoint-secrets.ts';
import { findEndpoint } from './show-endpoints.ts';
import type { Sender } from './sender.ts';

/** Tests of a project within a minute. */
const MAX_TESTS = 10;
const MINUTE_MS = 60_000;

interface Parts {
  readonly outbox: Outbox;
  readonly sender: Sender;
  readonly keysOf: (endpoint: {
    readonly id: WebhookEndpointId;
    readonly teamId: ProjectScope['teamId'];
  }) => Promise<EndpointKeys>;
  readonly now: () => Date;
}

/**
 * Sends an event with example data and waits for the response. It has no position, leaves no delivery, is never tried again
 * and says nothing about the endpoint's health.
 * @throws Problem 404; 429 after ten tests of the project within a minute
 */
export function testEndpoint({ outbox, sender, keysOf, now }: Parts) {
  const recent = new Map<string, number[]>();
  const requireRate = (projectId: string): void => {
    const since = performance.now() - MINUTE_MS;
    const times = (recent.get(projectId) ?? []).filter(time => time > since);
    if (times.length >= MAX_TESTS)
      throw new Problem('rate_limited', 'rate_limited', 'At most ten tests a minute; try again later.', {
        retryAfterSeconds: 60,
      });
    for (const [known, [newest = 0]] of recent) if (newest <= since) recent.delete(known);
    recent.set(projectId, [performance.now(), ...times]);
  };
  return async (
    scope: ProjectScope,
    id: WebhookEndpointId,
    type: PublicEventType | 'ping',
    context: AuditContext,
  ): Promise<WebhookAttempt> => {
    const endpoint = await findEndpoint(outbox.em.fork(), scope, id);
    requireRate(scope.projectId);
    const at = now();
    const eventId = EventId.create();
    const body = Buffer.from(
      JSON.stringify({
        ...eventExample(type),
        ...scope,
        id: eventId,
        timestamp: at.toISOString(),
        position: 0,
        test: true,
      }),
    );
    const target = { url: endpoint.url, keys: await keysOf(endpoint) };
    const { retryAfterMs: _retryAfterMs, ...sent } = await post(sender, target, { id: eventId, at, body });
    await outbox.transaction(async (_tx, publish) =>
      recordAudit(publish, scope.teamId, context, { target: { type: 'webhook_endpoint', id }, changes: [] }),
    );
    return { number: 1, trigger: 'test', at, ...sent };
  };
}
