import type { EntityManager } from '@mikro-orm/postgresql';
import type { TeamId } from '@billing/contracts/ids';
import type { ServiceName } from '@billing/contracts/operation';
import { conditionOf, type DeadLetterFilter } from './find-dead-letters.ts';

/** How many dead letters of a team were changed. */
export interface ChangedOfTeam {
  readonly teamId: TeamId;
  readonly count: number;
}

/**
 * Has dead letters handled once more, in the caller's transaction: each gets one more attempt. Those that are being retried
 * already stay as they are and do not count.
 */
export function retryDeadLetters(
  tx: EntityManager,
  service: ServiceName,
  filter: DeadLetterFilter,
): Promise<readonly ChangedOfTeam[]> {
  const set = 'due_at = clock_timestamp(), lease_id = null, deliveries = 0, max_attempts = attempts + 1';
  return change(tx, service, filter, `update dead_letters set ${set}`);
}

/**
 * Deletes dead letters for good, in the caller's transaction, but none that is being retried. Their events count as processed:
 * they stay without effect when they are delivered once more, as after a restore.
 */
export function dropDeadLetters(
  tx: EntityManager,
  service: ServiceName,
  filter: DeadLetterFilter,
): Promise<readonly ChangedOfTeam[]> {
  return change(
    tx,
    service,
    filter,
    'delete from dead_letters',
    `insert into processed_events (consumer, event_id, processed_at)
     select consumer, event_id, clock_timestamp() from changed on conflict do nothing`,
  );
}

async function change(
  tx: EntityManager,
  service: ServiceName,
  filter: DeadLetterFilter,
  statement: string,
  /** A statement on the rows `changed`. */
  also = 'select',
): Promise<readonly ChangedOfTeam[]> {
  const { where, values } = conditionOf(service, filter);
  return tx.execute<ChangedOfTeam[]>(
    `with changed as (${statement} where ${where} and due_at is null returning team_id, consumer, event_id), also as (${also})
     select team_id as "teamId", count(*)::int as count from changed group by team_id order by team_id`,
    values,
  );
}
