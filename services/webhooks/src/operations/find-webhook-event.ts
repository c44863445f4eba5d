import type { EntityManager } from '@mikro-orm/postgresql';
import type { TeamId } from '@billing/contracts/ids';
import { notFound } from '@billing/contracts/problem';
import { RECORD_COLUMNS, toResource, type RecordRow } from '#persistence/record-row.ts';

interface EventRow extends RecordRow {
  readonly payload: Record<string, unknown> | null;
}

/**
 * Returns an event of a team and what Stripe sent; the payload is null once it was deleted.
 * @throws Problem 404
 */
export function findTeamWebhookEvent(em: EntityManager) {
  return async (teamId: TeamId, eventId: string) => {
    const [row] = await em
      .fork()
      .execute<EventRow[]>(
        `select ${RECORD_COLUMNS}, e.payload from webhook_events e where e.team_id = ? and e.id = ?`,
        [teamId, eventId],
      );
    if (!row) throw notFound('webhook_event');
    return { webhookEvent: toResource(row), payload: row.payload };
  };
}
