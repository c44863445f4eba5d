import type { EntityManager } from '@mikro-orm/postgresql';
import type { ProjectId } from '@billing/contracts/ids';
import { executeBound } from '@billing/database/bound-statement';
import { decideRoute, type Route } from '#domain/route.ts';
import { sentToSome } from '#domain/event-errors.ts';
import { saveRoutes, type RouteRecord } from '#operations/save-routes.ts';
import { LEASE_SECONDS, nameOf, toLeasedKey, type LeasedEvent, type LeaseKey } from './lease.ts';
import type { Routes } from './read-routes.ts';

/** An event and where it goes. */
export interface RoutedEvent {
  readonly event: LeasedEvent;
  readonly route: Route;
}

/** A routed event without its content, which may be large: enough to release it. */
export interface RoutedKey {
  readonly event: LeaseKey;
  readonly route: Route;
}

/** How long an event may take to complete before its record is published as pending. */
const REPORT_PENDING_SECONDS = 2;

/** Divides events into those whose project the service's own tables tell, and the others. */
export function divideByRoute(events: readonly LeasedEvent[], routes: Routes) {
  const routed: RoutedEvent[] = [];
  const unclear: LeasedEvent[] = [];
  for (const event of events) {
    const decision = decideRoute(event.hints, { ...routes(event.teamId), customerNames: undefined });
    if (decision.kind === 'route') routed.push({ event, route: decision.route });
    else unclear.push(event);
  }
  return { routed, unclear };
}

/**
 * Records where events go, in the caller's transaction, and returns those that may be published. An event that goes to one
 * project at its first attempt is recorded by its completion, or once it is published and no completion has come. The
 * others await the outcome of each project from now on; they stay leased until they are published. A subscription's project
 * is known from its first event on.
 */
export async function recordRoutes(tx: EntityManager, routed: readonly RoutedEvent[]): Promise<RoutedEvent[]> {
  const { simple = [], others = [] } = Object.groupBy(routed, one => (isSimple(one) ? 'simple' : 'others'));
  const recorded = [...simple, ...(await recordAwaited(tx, others))];
  await saveRoutes(tx, recorded.flatMap(toSubscriptionRoute));
  return recorded;
}

/** Whether the completion alone tells where the event went, and there is no error of an earlier attempt to clear. */
const isSimple = ({ event, route }: RoutedEvent): boolean => route.projects.length === 1 && event.attempt <= 1;

/** Leaves events alone that await outcomes already: a project that has reported would not report again. */
async function recordAwaited(tx: EntityManager, routed: readonly RoutedEvent[]): Promise<RoutedEvent[]> {
  if (routed.length === 0) return [];
  const rows = await executeBound<{ team_id: string; id: string }>(
    tx,
    `update webhook_events e
        set project_id = r.projects[1], routed_to = r.projects, awaiting = r.projects, routed_by = r.routed_by,
            due_at = clock_timestamp() + make_interval(secs => ${LEASE_SECONDS}),
            pending_report_at = clock_timestamp() + make_interval(secs => ${REPORT_PENDING_SECONDS}),
            waiting_for = null, attempts = 0, error = r.error, version = e.version + 1
       from json_to_recordset($1::json) as
            r(team_id text, id text, lease_id uuid, projects text[], routed_by text, error text)
      where e.team_id = r.team_id and e.id = r.id and e.lease_id = r.lease_id and cardinality(e.awaiting) = 0
      returning e.team_id, e.id`,
    [JSON.stringify(routed.map(toRow))],
  );
  const held = new Set(rows.map(row => `${row.team_id} ${row.id}`));
  return routed.filter(({ event }) => held.has(nameOf(event)));
}

/**
 * Releases routed events, and records where they go if that is not known yet: those that were published are left alone
 * from now on (`dueAfterSeconds` is null); the others are due again, as if they had not been leased.
 */
export async function releaseRouted(
  em: EntityManager,
  routed: readonly RoutedKey[],
  { dueAfterSeconds }: { dueAfterSeconds: number | null },
): Promise<void> {
  if (routed.length === 0) return;
  await executeBound(
    em,
    `update webhook_events e
        set project_id = coalesce(e.project_id, r.projects[1]), routed_by = coalesce(e.routed_by, r.routed_by),
            routed_to = case when e.routed_to = '{}' then r.projects else e.routed_to end,
            awaiting = case when e.awaiting = '{}' then r.projects else e.awaiting end,
            pending_report_at = case when e.routed_to = '{}' then clock_timestamp() else e.pending_report_at end,
            due_at = clock_timestamp() + make_interval(secs => $2::float8), lease_id = null,
            routing_attempts = greatest(e.routing_attempts - $3, 0), version = e.version + (e.routed_to = '{}')::int
       from json_to_recordset($1::json) as
            r(team_id text, id text, lease_id uuid, projects text[], routed_by text)
      where e.team_id = r.team_id and e.id = r.id and e.lease_id = r.lease_id`,
    [JSON.stringify(routed.map(toRow)), dueAfterSeconds, dueAfterSeconds === null ? 0 : 1],
  );
}

const toRow = ({ event, route: { projects, routedBy, leftOut } }: RoutedKey) => ({
  ...toLeasedKey(event),
  projects,
  routed_by: routedBy,
  error: leftOut > 0 ? sentToSome(projects.length, leftOut) : null,
});

/** The route of a subscription that has just been created. */
function toSubscriptionRoute({ event, route }: RoutedEvent): RouteRecord[] {
  const { teamId, type, objectId: id, createdAt } = event;
  if (type !== 'customer.subscription.created' || id === null) return [];
  const [projectId]: readonly ProjectId[] = route.projects;
  if (!projectId) return [];
  const reference = { kind: 'subscription', id } as const;
  return [{ teamId, resourceId: id, reference, projectId, version: 1, createdAt, deleted: false }];
}
