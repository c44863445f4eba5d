import type { EntityManager } from '@mikro-orm/postgresql';
import type { ProjectId } from '@billing/contracts/ids';
import { executeBound } from '@billing/database/bound-statement';
import { decideRoute, type Route } from '#domain/route.ts';
import { saveRoutes, type RouteRecord } from '#operations/save-routes.ts';
import { LEASE_SECONDS, nameOf, toLeasedKey, type LeasedEvent } from './lease.ts';
import type { Routes } from './read-routes.ts';

/** An event and where it goes. */
export interface RoutedEvent {
  readonly event: LeasedEvent;
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
 * Records where events go, in the caller's transaction, and returns those that this process still holds. From now on they
 * await the outcome of each project; they stay leased until they are published. An event that awaits outcomes already is
 * left as it is: a project that has reported would not report again. A subscription's project is known from
 * its first event on.
 */
export async function recordRoutes(tx: EntityManager, routed: readonly RoutedEvent[]): Promise<RoutedEvent[]> {
  if (routed.length === 0) return [];
  const updates = routed.map(({ event, route }) => ({
    ...toLeasedKey(event),
    projects: route.projects,
    routed_by: route.routedBy,
  }));
  const rows = await executeBound<{ team_id: string; id: string }>(
    tx,
    `update webhook_events e
        set project_id = r.projects[1], routed_to = r.projects, awaiting = r.projects, routed_by = r.routed_by,
            due_at = clock_timestamp() + make_interval(secs => ${LEASE_SECONDS}),
            pending_report_at = clock_timestamp() + make_interval(secs => ${REPORT_PENDING_SECONDS}),
            waiting_for = null, attempts = 0, error = null, version = e.version + 1
       from json_to_recordset($1::json) as
            r(team_id text, id text, lease_id uuid, projects text[], routed_by text)
      where e.team_id = r.team_id and e.id = r.id and e.lease_id = r.lease_id and cardinality(e.awaiting) = 0
      returning e.team_id, e.id`,
    [JSON.stringify(updates)],
  );
  const held = new Set(rows.map(row => `${row.team_id} ${row.id}`));
  const recorded = routed.filter(({ event }) => held.has(nameOf(event)));
  await saveRoutes(tx, recorded.flatMap(toSubscriptionRoute));
  return recorded;
}

/** The route of a subscription that has just been created. */
function toSubscriptionRoute({ event, route }: RoutedEvent): RouteRecord[] {
  const { teamId, type, object, createdAt } = event;
  const id = object['id'];
  if (type !== 'customer.subscription.created' || typeof id !== 'string') return [];
  const [projectId]: readonly ProjectId[] = route.projects;
  if (!projectId) return [];
  const reference = { kind: 'subscription', id } as const;
  return [{ teamId, resourceId: id, reference, projectId, version: 1, createdAt, deleted: false }];
}
