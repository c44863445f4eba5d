import type { EntityManager } from '@mikro-orm/postgresql';
import { executeBound } from '@billing/database/bound-statement';
import { keyColumns, type ProjectObject } from '@billing/database/project-objects';
import type { CheckoutOutcome } from './checkout.rules.ts';

/** A checkout session at the processor, and what came of it. */
interface ClosedSession extends ProjectObject {
  readonly outcome: CheckoutOutcome;
  /** That it created. */
  readonly subscriptionId: string | null;
}

/**
 * Notes what came of checkout sessions, in any order: one that is `processing` ends, and no other changes again.
 * Sessions that have no record are ignored.
 */
export async function closeCheckoutSessions(tx: EntityManager, sessions: readonly ClosedSession[]): Promise<void> {
  if (sessions.length === 0) return;
  await executeBound(
    tx,
    `update checkout_sessions session
        set state = closed.state,
            processor_subscription_id = coalesce(closed.subscription_id, session.processor_subscription_id),
            updated_at = clock_timestamp()
       from (select distinct on (team_id, project_id, id) *
               from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[])
                      as closed (team_id, project_id, id, state, subscription_id)
              order by team_id, project_id, id, state = 'processing') closed
      where session.team_id = closed.team_id and session.project_id = closed.project_id
        and session.processor_session_id = closed.id
        and (session.state = 'open' or (session.state = 'processing' and closed.state <> 'processing'))`,
    [
      ...keyColumns(sessions),
      sessions.map(({ outcome }) => outcome),
      sessions.map(({ subscriptionId }) => subscriptionId),
    ],
  );
}
