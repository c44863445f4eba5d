import { randomUUID } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import { cursorText, type Cursor } from '@billing/contracts/cursor';
import { WebhookDeliveryId, type EventId, type ProjectScope, type WebhookEndpointId } from '@billing/contracts/ids';
import { conflict, notFound, unprocessable } from '@billing/contracts/problem';
import type { AuditContext } from '@billing/contracts/resources/audit-entry';
import type { PublicEvent } from '@billing/contracts/resources/event';
import type {
  WEBHOOK_DELIVERY_STATUSES,
  WebhookAttempt,
  WebhookDelivery,
} from '@billing/contracts/resources/webhook-delivery';
import { executeBound } from '@billing/database/bound-statement';
import { follows, markList, placeBefore, timeText } from '@billing/database/cursors';
import type { Outbox } from '@billing/messaging/outbox';
import { recordAudit } from '@billing/service/audit';
import { derivedId } from '@billing/service/derived-id';
import { z } from 'zod';
import type { WebhookEndpoint } from './webhook-endpoint.entity.ts';
import { countBytes } from '../stored-bytes.ts';
import { NEW_DELIVERY } from './commit-deliveries.ts';
import { callEndpoint } from './endpoint-rows.ts';
import { findEvent } from './list-events.ts';
import { findEndpoint, lockEndpoint } from './show-endpoints.ts';
import { requireRoom } from './waiting-deliveries.ts';

type Status = (typeof WEBHOOK_DELIVERY_STATUSES)[number];

interface DeliveryQuery {
  readonly endpointId?: WebhookEndpointId | undefined;
  readonly eventId?: EventId | undefined;
  readonly type?: string | undefined;
  readonly status?: Status | undefined;
  readonly since?: Date | undefined;
  readonly until?: Date | undefined;
  readonly limit: number;
  readonly cursor?: Cursor | undefined;
}

interface DeliveryRow extends Omit<WebhookDelivery, 'createdAt' | 'nextAttemptAt'> {
  readonly createdAt: Date;
  readonly nextAttemptAt: Date | null;
  readonly place: string;
}

const COLUMNS = `d.id, d.endpoint_id as "endpointId", d.event_id as "eventId", d.type, d.status, d.attempts,
  d.next_attempt_at as "nextAttemptAt", d.created_at as "createdAt", ${timeText('d.created_at')} as place`;
/** Those of endpoints that were deleted are shown no more. */
const SHOWN = `d.team_id = $1 and d.project_id = $2
  and d.endpoint_id = any(array(select id from webhook_endpoints where team_id = $1 and project_id = $2))`;
/** Deliveries that one request looks at: a filter that matches little gives a short page with a cursor instead of taking long. */
const MAX_SCANNED = 5_000;

/** Planned for its values each time: which index is best depends on them. */
const PLANNED_ANEW = { isDynamic: true };

/**
 * Lists deliveries of a project, newest first. An index finds those of an event, of a status but `succeeded`, or of an endpoint;
 * other filters look through the next five thousand, so that a page may be short though there are more.
 */
export async function listDeliveries(em: EntityManager, scope: ProjectScope, query: DeliveryQuery) {
  const { endpointId = null, eventId = null, type, status = null, since, until, limit, cursor } = query;
  const page = { limit, offset: 0, cursor };
  const list = markList(page, 'webhook_deliveries', scope);
  const after = placeBefore(page);
  const unsuccessful = status === 'succeeded' ? null : status;
  const scanned = `select d.* from webhook_deliveries d
    where d.team_id = $1 and d.project_id = $2 and ($3::text is null or d.event_id = $3)
      and ($4::text is null or d.status = $4) and ($5::text is null or d.endpoint_id = $5)
      and ($6::timestamptz is null or d.created_at >= $6) and ($7::timestamptz is null or d.created_at < $7)
      and ($8::text is null or ${follows('d.created_at', 'd.id', '$8', '$9')})
    order by d.created_at desc, d.id`;
  const values = [
    scope.teamId,
    scope.projectId,
    eventId,
    unsuccessful,
    unsuccessful ? null : endpointId,
    since ?? null,
    until ?? null,
    after?.at ?? null,
    after?.id ?? null,
  ];
  const rows = await executeBound<DeliveryRow>(
    em.fork(),
    `select ${COLUMNS} from (${scanned} limit ${MAX_SCANNED}) d
      where ${SHOWN} and ($10::text is null or d.endpoint_id = $10) and ($11::text is null or d.type = $11)
        and ($12::text is null or d.status = $12)
      order by d.created_at desc, d.id limit $13`,
    [...values, endpointId, type ?? null, status, limit + 1],
    PLANNED_ANEW,
  );
  const shown = rows.slice(0, limit);
  const last = rows.length > limit ? shown.at(-1) : await findBound(em, scanned, values);
  const nextCursor = last ? z.encode(cursorText, { list, at: last.place, ids: [last.id], offset: 0 }) : null;
  return { deliveries: shown.map(toResource), nextCursor };
}

/** The last delivery that one request looks at; undefined when it looks at all that there are. */
async function findBound(em: EntityManager, scanned: string, values: readonly unknown[]) {
  const [bound] = await executeBound<Pick<DeliveryRow, 'id' | 'place'>>(
    em.fork(),
    `select d.id, ${timeText('d.created_at')} as place from (${scanned} limit 1 offset ${MAX_SCANNED - 1}) d`,
    values,
    PLANNED_ANEW,
  );
  return bound;
}

/**
 * Returns a delivery with its event and its attempts.
 * @throws Problem 404, also when its event is older than the retention
 */
export async function describeDelivery(em: EntityManager, scope: ProjectScope, id: WebhookDeliveryId) {
  const row = await findDelivery(em, scope, id);
  const attempts = await executeBound<WebhookAttempt>(
    em.fork(),
    `select number, trigger, at, duration_ms as "durationMs", response_status as "responseStatus",
            response_body as "responseBody", error, address
       from delivery_attempts where delivery_id = $1 and team_id = $2 and project_id = $3 order by number`,
    [id, scope.teamId, scope.projectId],
  );
  const event: PublicEvent = await findEvent(em, scope, row.eventId, 'webhook_delivery');
  return { delivery: toResource(row), event, attempts: attempts.map(one => ({ ...one, at: new Date(one.at) })) };
}

interface Parts {
  readonly outbox: Outbox;
  /** Endpoints may have become due. */
  readonly onDue: () => void;
}

/**
 * Has a delivery sent again now, also one that had succeeded.
 * @throws Problem 404; 409 `webhook_endpoint_disabled`, `delivery_in_progress`; 422 `event_deleted`; 429 while very many wait
 */
export function retryDelivery({ outbox, onDue }: Parts) {
  return async (scope: ProjectScope, id: WebhookDeliveryId, context: AuditContext): Promise<WebhookDelivery> => {
    const delivery = await outbox.transaction(async (tx, publish) => {
      const { endpointId, eventId, nextAttemptAt } = await findDelivery(tx, scope, id);
      const endpoint = await findEndpoint(tx, scope, endpointId);
      await requireSendable(tx, endpoint, { eventId, resource: 'webhook_delivery' });
      if (nextAttemptAt === null) await requireRoom(tx, endpoint);
      const updated = await executeBound(
        tx,
        // What is due waits all the same while its endpoint fails, for up to an hour. What waits only for this one is due after it.
        `with again as (
         update webhook_deliveries d set status = 'pending', trigger = 'manual', next_attempt_at = clock_timestamp()
          where team_id = $1 and project_id = $2 and id = $3
            and (next_attempt_at is null or next_attempt_at > clock_timestamp() or (trigger <> 'manual' and exists (
              select from webhook_endpoints e where e.id = d.endpoint_id and e.status = 'failing' and e.lease_id is null)))
          returning endpoint_id, object_key, position),
         behind as (
         update webhook_deliveries d set next_attempt_at = clock_timestamp() from again
          where d.team_id = $1 and (d.endpoint_id, d.object_key) = (again.endpoint_id, again.object_key)
            and d.position > again.position and d.attempts = 0 and d.next_attempt_at > clock_timestamp())
         select from again`,
        [scope.teamId, scope.projectId, id],
      );
      if (updated.length === 0) throw inProgress();
      await callEndpoint(tx, endpoint);
      recordAudit(publish, scope.teamId, context, { target: { type: 'webhook_delivery', id }, changes: [] });
      return toResource(await findDelivery(tx, scope, id));
    });
    onDue();
    return delivery;
  };
}

/**
 * Has one event sent to an endpoint, whatever types it gets. The same operation key sends it once.
 * @throws Problem 404; 409 `webhook_endpoint_disabled`; 422 `event_deleted`; 429 while very many wait
 */
export function sendEvent({ outbox, onDue }: Parts) {
  return async (
    scope: ProjectScope,
    endpointId: WebhookEndpointId,
    eventId: EventId,
    context: AuditContext,
    operationKey: string = randomUUID(),
  ): Promise<WebhookDelivery> => {
    const id = derivedId(WebhookDeliveryId, operationKey, 'webhook-delivery');
    const delivery = await outbox.transaction(async (tx, publish) => {
      const endpoint = await lockEndpoint(tx, scope, endpointId);
      const [sent] = await findDeliveries(tx, scope, id);
      if (sent) return toResource(sent);
      await requireSendable(tx, endpoint, { eventId, resource: 'event' });
      await requireRoom(tx, endpoint);
      await executeBound(
        tx,
        `with sent as (
         insert into webhook_deliveries (id, team_id, project_id, endpoint_id, position, event_id, type, object_key, status,
                                         attempts, failures, trigger, next_attempt_at, created_at)
         select $4, team_id, project_id, $5, position, id, type, object_type || ' ' || object_id, 'pending', 0, 0, 'manual',
                clock_timestamp(), clock_timestamp()
           from events where team_id = $1 and project_id = $2 and id = $3
         returning ${NEW_DELIVERY})
         ${countBytes('sent')}`,
        [scope.teamId, scope.projectId, eventId, id, endpointId],
      );
      await callEndpoint(tx, endpoint);
      recordAudit(publish, scope.teamId, context, { target: { type: 'webhook_delivery', id }, changes: [] });
      return toResource(await findDelivery(tx, scope, id));
    });
    onDue();
    return delivery;
  };
}

const findDeliveries = (em: EntityManager, { teamId, projectId }: ProjectScope, id: WebhookDeliveryId) =>
  executeBound<DeliveryRow>(em, `select ${COLUMNS} from webhook_deliveries d where ${SHOWN} and d.id = $3`, [
    teamId,
    projectId,
    id,
  ]);

async function findDelivery(em: EntityManager, scope: ProjectScope, id: WebhookDeliveryId): Promise<DeliveryRow> {
  const [row] = await findDeliveries(em, scope, id);
  if (!row) throw notFound('webhook_delivery');
  return row;
}

/** @throws Problem 404, 409, 422 for an endpoint or an event that can't be sent to or sent */
async function requireSendable(
  tx: EntityManager,
  { status, teamId, projectId }: WebhookEndpoint,
  { eventId, resource }: { readonly eventId: EventId; readonly resource: 'event' | 'webhook_delivery' },
): Promise<void> {
  if (status === 'disabled') throw conflict('webhook_endpoint_disabled', 'The endpoint is disabled; enable it first.');
  const [event] = await executeBound<{ isErased: boolean }>(
    tx,
    `select is_erased as "isErased" from events where team_id = $1 and project_id = $2 and id = $3`,
    [teamId, projectId, eventId],
  );
  if (!event) throw notFound(resource);
  if (event.isErased)
    throw unprocessable('event_deleted', 'The personal data of the event were deleted with its customer.');
}

const inProgress = () => conflict('delivery_in_progress', 'The delivery is being sent, or is about to be.', 1);

const toResource = ({ place: _place, createdAt, nextAttemptAt, ...row }: DeliveryRow): WebhookDelivery => ({
  ...row,
  createdAt: new Date(createdAt),
  nextAttemptAt: nextAttemptAt && new Date(nextAttemptAt),
});
