import type { EntityManager } from '@mikro-orm/postgresql';
import { Problem } from '@billing/contracts/problem';
import { isDatabaseUnavailable } from '@billing/service/database';
import { pauseAfter } from '#domain/back-off.ts';
import { claimOf, type ClaimedEvent } from './claim.ts';

/** How long to wait for something that is away, in milliseconds. */
const AWAY_MS = 2_000;

/** An event that found no project yet, and why. */
interface Unrouted {
  readonly event: ClaimedEvent;
  readonly error: string;
}

/** Puts events back to be tried again after their pause; after the last one they have failed, and can be replayed. */
export async function putBack(
  em: EntityManager,
  unrouted: readonly Unrouted[],
  pausesMs: readonly number[],
): Promise<void> {
  if (unrouted.length === 0) return;
  const rows = unrouted.map(({ event, error }) => ({
    ...claimOf(event),
    error,
    pause_ms: pauseAfter(event.attempt, pausesMs),
    waiting_for: event.hints.references.map(({ id }) => id),
  }));
  await em.fork().execute(
    `update webhook_events e
        set claim_id = null, error = u.error, attempts = e.routing_attempts,
            due_at = clock_timestamp() + make_interval(secs => u.pause_ms / 1000.0),
            waiting_for = case when u.pause_ms is null then null else u.waiting_for end,
            status = case when u.pause_ms is null then 'failed' else e.status end,
            processed_at = case when u.pause_ms is null then clock_timestamp() end,
            version = e.version + (u.pause_ms is null)::int
       from jsonb_to_recordset(?::jsonb) as
            u(team_id text, id text, claim_id uuid, error text, pause_ms float8, waiting_for text[])
      where e.team_id = u.team_id and e.id = u.id and e.claim_id = u.claim_id`,
    [JSON.stringify(rows)],
  );
}

/** Puts events back after an error: what is away is waited for without spending an attempt. */
export async function putBackAfterError(
  em: EntityManager,
  events: readonly ClaimedEvent[],
  err: unknown,
  pausesMs: readonly number[],
): Promise<void> {
  if (isAway(err)) return release(em, events, AWAY_MS);
  const reason = err instanceof Problem ? err.message : 'an unexpected error on our side; the log has it';
  await putBack(
    em,
    events.map(event => ({ event, error: `unroutable: ${reason}` })),
    pausesMs,
  );
}

/** Gives events back as if they had not been claimed. */
async function release(em: EntityManager, events: readonly ClaimedEvent[], pauseMs: number): Promise<void> {
  if (events.length === 0) return;
  await em.fork().execute(
    `update webhook_events e
        set claim_id = null, routing_attempts = greatest(e.routing_attempts - 1, 0),
            due_at = clock_timestamp() + make_interval(secs => ?::float8 / 1000)
       from jsonb_to_recordset(?::jsonb) as c(team_id text, id text, claim_id uuid)
      where e.team_id = c.team_id and e.id = c.id and e.claim_id = c.claim_id`,
    [pauseMs, JSON.stringify(events.map(claimOf))],
  );
}

/** Whether an error says that the database, the processor or another service is away. */
export const isAway = (err: unknown): boolean =>
  isDatabaseUnavailable(err) || (err instanceof Problem && err.kind === 'unavailable');
