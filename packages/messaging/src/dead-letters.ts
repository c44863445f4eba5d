import { defineEntity, p, type EntityManager } from '@mikro-orm/postgresql';
import { envelope, type Envelope } from '@billing/contracts/event';
import { executeBound } from '@billing/database/bound-statement';

const DeadLetterSchema = defineEntity({
  name: 'DeadLetter',
  tableName: 'dead_letters',
  indexes: [
    { name: 'dead_letters_failed', properties: ['teamId', 'deadLetteredAt'], where: 'dead_lettered_at is not null' },
    { name: 'dead_letters_retrying', properties: ['teamId', 'dueAt'], where: 'due_at is not null' },
  ],
  properties: {
    /** Names the row to the team. */
    id: p.uuid().defaultRaw('gen_random_uuid()').unique('dead_letters_id_unique'),
    consumer: p.text().primary(),
    eventId: p.uuid().primary(),
    type: p.text(),
    teamId: p.text(),
    /** The whole envelope, so that it can be handled once the fault is mended. */
    event: p.json<unknown>(),
    attempts: p.integer(),
    error: p.text(),
    /** The same in our own words, for the team; null while it is still tried. */
    reason: p.text().nullable(),
    failedAt: p.datetime(),
    /** Null while the bus still delivers it. */
    deadLetteredAt: p.datetime().nullable(),
    /** When it should be handled once more; the end of the lease while it is, null unless someone retries it. */
    dueAt: p.datetime().nullable(),
    leaseId: p.uuid().nullable(),
    /** How often the retry was leased. */
    deliveries: p.integer().default(0),
    /** After so many failures the retry has failed for good. */
    maxAttempts: p.integer().nullable(),
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

/**
 * Makes a failed event a dead letter, in the caller's transaction: for the first time, or again after a retry. Returns
 * whether it is the first time.
 */
export async function storeDeadLetter(
  tx: EntityManager,
  consumer: string,
  event: Pick<Envelope, 'id'>,
  failure: Pick<Failure, 'error' | 'reason'>,
): Promise<boolean> {
  const [row] = await executeBound<{ is_first: boolean }>(
    tx,
    `with failed as (
       select consumer, event_id, dead_lettered_at is null as is_first from dead_letters
        where consumer = $1 and event_id = $2 and (dead_lettered_at is null or due_at is not null) for update)
     update dead_letters d
        set dead_lettered_at = clock_timestamp(), error = $3, reason = $4, due_at = null, lease_id = null
       from failed f where d.consumer = f.consumer and d.event_id = f.event_id
     returning f.is_first`,
    [consumer, event.id, failure.error, failure.reason],
  );
  return row?.is_first ?? false;
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
    `delete from dead_letters where consumer = $1 and event_id = any($2::uuid[]) returning event_id, attempts`,
    [consumer, eventIds],
  );
  return new Map(rows.map(row => [row.event_id, row.attempts]));
}

/** A webhook event in a project that was replayed. */
export interface ReplayedEvent {
  readonly teamId: string;
  readonly eventId: string;
  readonly projectId: string;
}

/** Deletes, in the caller's transaction, the dead letters of webhook events whose replays the consumer has handled. */
export async function deleteReplayed(
  tx: EntityManager,
  consumer: string,
  replayed: readonly ReplayedEvent[],
): Promise<void> {
  if (replayed.length === 0) return;
  await executeBound(
    tx,
    `delete from dead_letters d
      using json_to_recordset($2::json) as r("teamId" text, "eventId" text, "projectId" text)
      where d.consumer = $1 and d.team_id = r."teamId"
        and d.event -> 'data' ->> 'eventId' = r."eventId" and d.event -> 'data' ->> 'projectId' = r."projectId"`,
    [consumer, JSON.stringify(replayed)],
  );
}
