import type { EntityManager } from '@mikro-orm/postgresql';
import { executeBound } from '@billing/service/bound-statement';
import type { Route } from '#domain/route.ts';
import { claimOf, type ClaimedEvent } from './claim.ts';
import { recordFacts, ROUTED_COLUMNS, type RoutedRow } from './record-facts.ts';

export interface RoutedEvent {
  readonly event: ClaimedEvent;
  readonly route: Route;
}

/** How long an event may take to settle before its record is told unsettled. */
const TOLD_AFTER_SECONDS = 2;

/**
 * Keeps where events go and records the facts that tell the projects, in one transaction; only for whoever still holds
 * them. Most settle at once, so their records are told once, settled; `tellUnsettled` tells the others.
 */
export async function publish(em: EntityManager, routed: readonly RoutedEvent[]): Promise<void> {
  if (routed.length === 0) return;
  const updates = routed.map(({ event, route }) => ({
    ...claimOf(event),
    projects: route.projects,
    routed_by: route.routedBy,
  }));
  await em.fork().transactional(async tx => {
    const rows = await executeBound<RoutedRow>(
      tx,
      `update webhook_events e
          set project_id = r.projects[1], routed_to = r.projects, awaiting = r.projects, routed_by = r.routed_by,
              claim_id = null, due_at = null, tell_at = clock_timestamp() + make_interval(secs => ${TOLD_AFTER_SECONDS}),
              waiting_for = null, attempts = 0, error = null, version = e.version + 1
         from json_to_recordset($1::json) as
              r(team_id text, id text, claim_id uuid, projects text[], routed_by text)
        where e.team_id = r.team_id and e.id = r.id and e.claim_id = r.claim_id
        returning ${ROUTED_COLUMNS}`,
      [JSON.stringify(updates)],
    );
    const byKey = new Map(routed.map(it => [`${it.event.teamId} ${it.event.id}`, it]));
    await recordFacts(
      tx,
      rows.flatMap(row => {
        const it = byKey.get(`${row.team_id} ${row.id}`);
        return it ? [{ row, content: it.event, projects: it.route.projects }] : [];
      }),
    );
  });
}
