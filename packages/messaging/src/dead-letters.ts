import { defineEntity, p, type EntityManager } from '@mikro-orm/postgresql';
import { envelope, type Envelope } from '@billing/contracts/event';
import { executeBound } from '@billing/database/bound-statement';

const DeadLetterSchema = defineEntity({
  name: 'DeadLetter',
  tableName: 'dead_letters',
  properties: {
    consumer: p.text().primary(),
    eventId: p.uuid().primary(),
    type: p.text(),
    teamId: p.text(),
    /** The whole envelope, so that it can be handled once the fault is mended. */
    event: p.json<unknown>(),
    attempts: p.integer(),
    error: p.text(),
    failedAt: p.datetime(),
    /** Null while it is still tried. */
    deadLetteredAt: p.datetime().nullable(),
  },
});

/** An event that a consumer failed to handle: still being tried, or a dead letter. */
export class DeadLetter extends DeadLetterSchema.class {}
DeadLetterSchema.setClass(DeadLetter);

/** How often an event failed, and why the last time. */
export interface Failure {
  readonly attempts: number;
  /** The message of the error, whoever wrote it. */
  readonly error: string;
  /** The same in our own words, for the team. */
  readonly reason: string;
}

/**
 * Counts one more failure of an event, and returns how many there are. `by` is 0 for one that was counted in advance, and
 * -1 for one that turned out not to be the event's failure.
 */
export async function countFailure(
  em: EntityManager,
  consumer: string,
  event: Envelope,
  error: string,
  by: 1 | 0 | -1 = 1,
): Promise<number> {
  const [row] = await em.fork().execute<{ attempts: number }[]>(
    `insert into dead_letters (consumer, event_id, type, team_id, event, attempts, error, failed_at)
     values (?, ?, ?, ?, ?::jsonb, greatest(?, 0), ?, clock_timestamp())
     on conflict (consumer, event_id) do update
        set attempts = greatest(dead_letters.attempts + ?, 0), error = excluded.error, failed_at = excluded.failed_at
     returning attempts`,
    [consumer, event.id, event.type, event.teamId, JSON.stringify(envelope.encode(event)), by, error, by],
  );
  return row?.attempts ?? 1;
}

/** Makes a failed event a dead letter, in the caller's transaction; false when it is one already. */
export async function storeDeadLetter(
  tx: EntityManager,
  consumer: string,
  event: Envelope,
  failure: Failure,
): Promise<boolean> {
  const rows = await tx.execute<unknown[]>(
    `update dead_letters set dead_lettered_at = clock_timestamp(), error = ?
      where consumer = ? and event_id = ? and dead_lettered_at is null returning 1`,
    [failure.error, consumer, event.id],
  );
  return rows.length > 0;
}

/**
 * Deletes, in the caller's transaction, the failures of events that were handled in the end; returns how often each event
 * had failed, by its id.
 */
export async function deleteFailures(
  tx: EntityManager,
  consumer: string,
  eventIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  if (eventIds.length === 0) return new Map();
  const rows = await executeBound<{ event_id: string; attempts: number }>(
    tx,
    `delete from dead_letters where consumer = $1 and event_id = any($2::uuid[]) and dead_lettered_at is null
     returning event_id, attempts`,
    [consumer, eventIds],
  );
  return new Map(rows.map(row => [row.event_id, row.attempts]));
}
