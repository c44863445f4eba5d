import type { TeamRooms } from '@billing/database/team-rooms';
import type { EntityManager } from '@mikro-orm/postgresql';
import { executeBound } from '@billing/database/bound-statement';
import type { Publish } from '@billing/messaging/outbox';
import { sentToSome } from './unrouted.rules.ts';
import { CHANGE_COLUMNS, countChanges, former, type Change } from './event-totals.ts';
import { decideRoute, type Route } from './route.rules.ts';
import { saveRoutes, subscriptionRoute, type RouteRecord, type Routes } from './route-rows.ts';
import { LEASE_SECONDS, nameOf, toLeasedKey, type LeasedEvent, type LeaseKey } from './lease.ts';

/** An event and where it goes; its key and lease are enough to record and release it, its content may be large. */
export interface RoutedEvent<Event extends LeaseKey = LeasedEvent> {
  readonly event: Event;
  readonly route: Route;
}

/** Returns where an event goes, as far as its row or the service's own tables tell. */
export function routeOf(event: LeasedEvent, routes: Routes): Route | null {
  if (event.route) return event.route;
  const decision = decideRoute(event.hints, { ...routes(event.teamId), customerNames: undefined });
  return decision.kind === 'route' ? decision.route : null;
}

/** What recording a route needs besides the transaction. */
interface RecordParts {
  readonly publish: Publish;
  readonly rooms: Pick<TeamRooms, 'take'>;
}

/**
 * Records where events go, in the caller's transaction and after everything else in it, and returns those that may be published.
 * An event that goes to one project at its first attempt is recorded by its completion, or once it is published and no
 * completion has come. The others await the outcome of each project from now on; they stay leased until they are published, or
 * become due again where their team's window has no room for so many projects. A subscription's project is known from its
 * first event on.
 */
export async function recordRoutes(
  tx: EntityManager,
  routed: readonly RoutedEvent[],
  { publish, rooms }: RecordParts,
): Promise<RoutedEvent[]> {
  const {
    recorded = [],
    simple = [],
    others = [],
  } = Object.groupBy(routed, ({ event, route }) => {
    if (event.route) return 'recorded';
    // The completion alone tells where it went, and there is no error of an earlier attempt to clear.
    return route.projects.length === 1 && event.attempt <= 1 ? 'simple' : 'others';
  });
  const changes = await recordAwaited(tx, others, rooms);
  const awaited = new Set(changes.filter(({ fits }) => fits).map(nameOf));
  const published = [...recorded, ...simple, ...others.filter(({ event }) => awaited.has(nameOf(event)))];
  const woken = await saveRoutes(tx, published.flatMap(toSubscriptionRoute));
  await countChanges(tx, publish, [...changes, ...woken]);
  return published;
}

type AwaitedRow = Change & Pick<LeasedEvent, 'id'> & { readonly fits: boolean };

/** Leaves events alone that await outcomes already: a project that has reported would not report again. */
async function recordAwaited(
  tx: EntityManager,
  routed: readonly RoutedEvent[],
  rooms: Pick<TeamRooms, 'take'>,
): Promise<readonly AwaitedRow[]> {
  if (routed.length === 0) return [];
  const rows = routed.map(one => {
    const { length } = one.route.projects;
    // The event itself was counted when it was leased.
    return { ...toRow(one), fits: length === 1 || rooms.take(one.event.teamId, length - 1) };
  });
  return executeBound<AwaitedRow>(
    tx,
    `with r as materialized (
       select * from json_to_recordset($1::json) as
              r(team_id text, id text, lease_id uuid, projects text[], routed_by text, error text, fits boolean)),
     ${former(`e.team_id = r.team_id and e.id = r.id and e.lease_id = r.lease_id and e.awaiting = '{}'`, 'cross join r')}
     update webhook_events e
        set project_id = r.projects[1], routed_to = r.projects, awaiting = r.projects, routed_by = r.routed_by,
            lease_id = case when r.fits then e.lease_id end,
            due_at = clock_timestamp() + case when r.fits then make_interval(secs => ${LEASE_SECONDS}) else '0' end,
            waiting_for = null, attempts = 0, error = r.error
       from former f join r using (team_id, id)
      where e.team_id = f.team_id and e.id = f.id
     returning ${CHANGE_COLUMNS}, e.id, r.fits`,
    [JSON.stringify(rows)],
  );
}

/** The key of an event's row, its lease, and where it goes, in the shape of a row. */
export const toRow = ({ event, route: { projects, routedBy, leftOut } }: RoutedEvent<LeaseKey>) => ({
  ...toLeasedKey(event),
  projects,
  routed_by: routedBy,
  error: leftOut > 0 ? sentToSome(projects.length, leftOut) : null,
});

/** The route of a subscription that has just been created. */
function toSubscriptionRoute({ event, route }: RoutedEvent): RouteRecord[] {
  const { teamId, type, objectId: id, createdAt } = event;
  if (type !== 'customer.subscription.created' || id === null) return [];
  return [subscriptionRoute({ teamId, projectId: route.projects[0], processorId: id, createdAt })];
}
