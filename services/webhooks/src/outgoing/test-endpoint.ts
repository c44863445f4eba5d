import type { EntityManager } from '@mikro-orm/postgresql';
import type { PublicEventType } from '@billing/contracts/event-types';
import { EventId, type ProjectScope, type WebhookEndpointId } from '@billing/contracts/ids';
import { Problem } from '@billing/contracts/problem';
import type { AuditContext } from '@billing/contracts/resources/audit-entry';
import { eventExample } from '@billing/contracts/resources/event-data';
import type { WebhookAttempt } from '@billing/contracts/resources/webhook-delivery';
import { executeBound } from '@billing/database/bound-statement';
import type { Outbox } from '@billing/messaging/outbox';
import { recordAudit } from '@billing/service/audit';
import { isSuccess } from './endpoint-health.rules.ts';
import { post } from './attempt.ts';
import { callEndpoint } from './endpoint-rows.ts';
import type { EndpointKeys } from './endpoint-secrets.ts';
import { findEndpoint } from './show-endpoints.ts';
import type { Sender } from './sender.ts';

/** Tests of a project within a minute. */
const MAX_TESTS = 10;

interface Parts {
  readonly outbox: Outbox;
  readonly sender: Sender;
  readonly keysOf: (endpoint: {
    readonly id: WebhookEndpointId;
    readonly teamId: ProjectScope['teamId'];
  }) => Promise<EndpointKeys>;
  readonly now: () => Date;
  /** A test counts as a delivery of its team, and does not wait. */
  readonly onTest: (teamId: ProjectScope['teamId']) => void;
  /** Endpoints may have become due. */
  readonly onDue: () => void;
}

/**
 * Sends an event with example data and waits for the response. It has no position, leaves no delivery, is never tried again
 * and says nothing about the endpoint's health; but a failing one that takes it is sent the first of what waits at once.
 * @throws Problem 404; 429 after ten tests of the project within a minute
 */
export function testEndpoint({ outbox, sender, keysOf, now, onTest, onDue }: Parts) {
  return async (
    scope: ProjectScope,
    id: WebhookEndpointId,
    type: PublicEventType | 'ping',
    context: AuditContext,
  ): Promise<WebhookAttempt> => {
    const endpoint = await findEndpoint(outbox.em.fork(), scope, id);
    // Before anything is sent: a test that a crash ends leaves its entry too.
    await outbox.transaction(async (tx, publish) => {
      await takeTest(tx, scope);
      recordAudit(publish, scope.teamId, context, { target: { type: 'webhook_endpoint', id }, changes: [] });
    });
    onTest(scope.teamId);
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
    const target = { teamId: scope.teamId, url: new URL(endpoint.url), keys: await keysOf(endpoint) };
    const { retryAfterMs: _retryAfterMs, ...sent } = await post(sender, target, { id: eventId, at, body });
    if (endpoint.status === 'failing' && isSuccess(sent.responseStatus)) {
      await callEndpoint(outbox.em.fork(), endpoint);
      onDue();
    }
    return { number: 1, trigger: 'test', at, ...sent };
  };
}

/**
 * Counts a test of a project, for all copies of the service together.
 * @throws Problem 429 after ten within a minute
 */
async function takeTest(tx: EntityManager, { teamId, projectId }: ProjectScope): Promise<void> {
  const recent = `select t from unnest(endpoint_tests.times) t where t > clock_timestamp() - interval '1 minute'`;
  const taken = await executeBound(
    tx,
    `insert into endpoint_tests (team_id, project_id, times) values ($1, $2, array[clock_timestamp()])
     on conflict (team_id, project_id) do update set times = array(${recent}) || clock_timestamp()
       where cardinality(array(${recent})) < ${MAX_TESTS}
     returning 1`,
    [teamId, projectId],
  );
  if (taken.length > 0) return;
  const [next] = await executeBound<{ seconds: number }>(
    tx,
    `select extract(epoch from min(t) + interval '1 minute' - clock_timestamp())::float8 as seconds
       from endpoint_tests cross join lateral (${recent}) as tests (t) where team_id = $1 and project_id = $2`,
    [teamId, projectId],
  );
  throw new Problem('rate_limited', 'rate_limited', 'At most ten tests a minute; try again later.', {
    retryAfterSeconds: Math.max(1, Math.ceil(next?.seconds ?? 1)),
  });
}
