import type { EntityManager } from '@mikro-orm/postgresql';
import { executeBound } from '@billing/database/bound-statement';
import { keyColumns, type ProjectObject } from '@billing/database/project-objects';
import type { CheckoutState } from './checkout-session.entity.ts';

/** A checkout session at the processor, and how it ended. */
interface ClosedSession extends ProjectObject {
  readonly state: Extract<CheckoutState, 'complete' | 'expired'>;
}

/** Notes how open checkout sessions ended. Sessions that this service has not created are ignored. */
export async function closeCheckoutSessions(tx: EntityManager, sessions: readonly ClosedSession[]): Promise<void> {
  if (sessions.length === 0) return;
  await executeBound(
    tx,
    `update checkout_sessions session set state = closed.state, updated_at = clock_timestamp()
       from unnest($1::text[], $2::text[], $3::text[], $4::text[])
              as closed (team_id, project_id, processor_session_id, state)
      where session.team_id = closed.team_id and session.project_id = closed.project_id
        and session.processor_session_id = closed.processor_session_id and session.state = 'open'`,
    [...keyColumns(sessions), sessions.map(({ state }) => state)],
  );
}
