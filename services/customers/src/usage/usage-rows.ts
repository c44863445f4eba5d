import type { EntityManager } from '@mikro-orm/postgresql';
import type { CustomerId, ProjectScope } from '@billing/contracts/ids';
import { executeBound } from '@billing/database/bound-statement';
import { inTransaction } from '@billing/database/transaction';
import { leaseRows, type LeasedTable } from '@billing/database/lease-rows';
import { identifierOf, type RecordedUsage } from './usage.rules.ts';

/** Longer than a call to the processor with its retries takes. */
const LEASE_SECONDS = 60;
const RETENTION_DAYS = 40;

/** Pending usage of a customer and a meter that this process sends. */
export interface LeasedQueue extends ProjectScope {
  readonly customerId: CustomerId;
  readonly meter: string;
  readonly failures: number;
  readonly leaseId: string;
}

const QUEUES: LeasedTable = {
  table: 'usage_queues',
  key: ['team_id', 'project_id', 'customer_id', 'meter'],
  leaseSeconds: LEASE_SECONDS,
  columns: `team_id as "teamId", project_id as "projectId", customer_id as "customerId", meter, failures,
    lease_id as "leaseId"`,
  maxPerTeam: { ofTeam: 8, ofAll: 64, least: 2, isInFlight: 'lease_id is not null', weight: '1' },
};

/** Leases up to `limit` due queues, teams in turn; of one team few are sent at the same time. */
export const leaseQueues = async (em: EntityManager, limit: number): Promise<readonly LeasedQueue[]> =>
  (await leaseRows<LeasedQueue>(em, QUEUES, limit)).rows;

const keyOf = ({ teamId, projectId, customerId, meter }: LeasedQueue) => [teamId, projectId, customerId, meter];
const OF_QUEUE = '(team_id, project_id, customer_id, meter) = ($1, $2, $3, $4)';

/**
 * Inserts events in their order, and returns the ids of those that were not there. The lock of a queue lets one transaction at a
 * time give out positions in it, so that they follow the order of commits.
 */
export async function insertEvents(
  tx: EntityManager,
  { teamId, projectId }: ProjectScope,
  events: readonly RecordedUsage[],
  now: Date,
): Promise<ReadonlySet<string>> {
  const given = JSON.stringify(
    events.map((event, place) => ({ ...event, place, identifier: identifierOf(projectId, event.id) })),
  );
  await executeBound(
    tx,
    `insert into usage_queues (team_id, project_id, customer_id, meter, due_at, failures)
     select distinct $1::text, $2::text, "customerId", meter, statement_timestamp(), 0
       from json_to_recordset($3::json) as e ("customerId" text, meter text) order by 3, 4
     on conflict (team_id, project_id, customer_id, meter) do update set due_at = usage_queues.due_at`,
    [teamId, projectId, given],
  );
  const inserted = await executeBound<{ id: string }>(
    tx,
    `insert into usage_events
            (team_id, project_id, id, customer_id, meter, value, at, status, identifier, key_version, created_at)
     select $1, $2, id, "customerId", meter, value, at, 'pending', identifier, 0, $4
       from json_to_recordset($3::json) as
            e (id text, "customerId" text, meter text, value bigint, at timestamptz, identifier text, place int)
      order by place
     on conflict do nothing returning id`,
    [teamId, projectId, given, now],
  );
  return new Set(inserted.map(({ id }) => id));
}

/** An event that is about to be sent. */
export interface NextUsage {
  readonly id: string;
  readonly value: number;
  readonly at: Date;
  readonly identifier: string;
  readonly keyVersion: number;
  /** When it was sent first; null when that is now. */
  readonly firstSentAt: Date | null;
}

/** Takes the next pending event of a queue, notes that it is sent, and renews the lease; null when there is none, or no lease. */
export async function takeNext(em: EntityManager, queue: LeasedQueue, now: Date): Promise<NextUsage | null> {
  const [row] = await executeBound<Omit<NextUsage, 'at' | 'firstSentAt'> & { atMs: number; firstMs: number | null }>(
    em.fork(),
    `with held as (
       update usage_queues set due_at = clock_timestamp() + make_interval(secs => ${LEASE_SECONDS})
        where ${OF_QUEUE} and lease_id = $5 returning 1),
     next as (
       select id, first_sent_at from usage_events where ${OF_QUEUE} and status = 'pending' order by position limit 1)
     update usage_events e set first_sent_at = coalesce(e.first_sent_at, $6)
       from next, held where (e.team_id, e.project_id, e.id) = ($1, $2, next.id)
     returning e.id, e.value::float8 as value, (extract(epoch from e.at) * 1000)::float8 as "atMs", e.identifier,
               e.key_version as "keyVersion", (extract(epoch from next.first_sent_at) * 1000)::float8 as "firstMs"`,
    [...keyOf(queue), queue.leaseId, now],
  );
  if (!row) return null;
  const { atMs, firstMs, ...next } = row;
  return { ...next, at: new Date(atMs), firstSentAt: firstMs === null ? null : new Date(firstMs) };
}

/** Notes that the processor has an event, unless it was rejected meanwhile. */
export const markSent = (em: EntityManager, { teamId, projectId }: ProjectScope, id: string, now: Date) =>
  executeBound(
    em.fork(),
    `update usage_events set status = 'sent', sent_at = $4
      where (team_id, project_id, id) = ($1, $2, $3) and status = 'pending'`,
    [teamId, projectId, id, now],
  );

/** Notes that an event was never sent, unless another process has it by now. */
export const markUnsent = (em: EntityManager, queue: LeasedQueue, id: string) =>
  executeBound(
    em.fork(),
    `update usage_events set first_sent_at = null
      where (team_id, project_id, id) = ($1, $2, $6)
        and exists (select 1 from usage_queues where ${OF_QUEUE} and lease_id = $5 and due_at > clock_timestamp())`,
    [...keyOf(queue), queue.leaseId, id],
  );

/** Has an event sent under another idempotency key. */
export const takeNextKey = (em: EntityManager, { teamId, projectId }: ProjectScope, id: string) =>
  executeBound(
    em.fork(),
    `update usage_events set key_version = key_version + 1 where (team_id, project_id, id) = ($1, $2, $3)`,
    [teamId, projectId, id],
  );

interface Released {
  readonly failures: number;
  readonly dueAfterSeconds: number;
}

/** Releases a queue; without pending events it is deleted. */
export const releaseQueue = (em: EntityManager, queue: LeasedQueue, { failures, dueAfterSeconds }: Released) =>
  inTransaction(em, async tx => {
    const key = keyOf(queue);
    const held = `select 1 from usage_queues where ${OF_QUEUE} and lease_id = $5 for update`;
    if ((await executeBound(tx, held, [...key, queue.leaseId])).length === 0) return;
    // After the lock: who inserts events has it first.
    const pending = await executeBound(
      tx,
      `select 1 from usage_events where ${OF_QUEUE} and status = 'pending' limit 1`,
      key,
    );
    if (pending.length === 0) await executeBound(tx, `delete from usage_queues where ${OF_QUEUE}`, key);
    else
      await executeBound(
        tx,
        `update usage_queues
            set lease_id = null, failures = $5, due_at = clock_timestamp() + make_interval(secs => $6::float8)
          where ${OF_QUEUE}`,
        [...key, failures, dueAfterSeconds],
      );
  });

/** Has a team checked, from now on: what it sends may be refused later. */
export const haveChecked = (em: EntityManager, { teamId }: ProjectScope, now: Date) =>
  executeBound(
    em.fork(),
    `insert into usage_checks as known (team_id, last_sent_at, read_at, due_at) values ($1, $2, $2, clock_timestamp())
     on conflict (team_id) do update set last_sent_at = greatest(known.last_sent_at, excluded.last_sent_at)`,
    [teamId, now],
  );

/** Deletes events that are not pending, 40 days after they were accepted; true when there may be more. */
export async function deleteOldUsage(em: EntityManager, now: Date, batchSize = 5_000): Promise<boolean> {
  const deleted = await executeBound(
    em.fork(),
    `delete from usage_events where ctid = any(array(
       select ctid from usage_events
        where status <> 'pending' and created_at < $1::timestamptz - interval '${RETENTION_DAYS} days' limit $2))
     returning 1`,
    [now, batchSize],
  );
  return deleted.length === batchSize;
}
