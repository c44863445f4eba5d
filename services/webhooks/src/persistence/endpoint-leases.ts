import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { TeamId } from '@billing/contracts/ids';
import { unavailable } from '@billing/contracts/problem';

/** Longer than the few calls to Stripe may take; after a crash the next request waits so long at most, in seconds. */
const LEASE_SECONDS = 60;
/** How long a request waits for another one, in milliseconds. */
const WAIT_MS = 10_000;
const POLL_MS = 100;

/**
 * Runs work on a team's webhook endpoints at Stripe while no other request does: two that made and deleted endpoints at the
 * same time would delete each other's.
 * @throws Problem `unavailable` while another request works on them; what `work` throws
 */
export async function withEndpointLease<Result>(
  em: EntityManager,
  teamId: TeamId,
  work: () => Promise<Result>,
): Promise<Result> {
  const leaseId = randomUUID();
  const deadline = performance.now() + WAIT_MS;
  while (!(await lease(em, teamId, leaseId))) {
    if (performance.now() > deadline) throw unavailable('Another request connects or disconnects the processor.', 5);
    await pause(POLL_MS);
  }
  try {
    return await work();
  } finally {
    await em.fork().execute(`delete from endpoint_leases where team_id = ? and lease_id = ?`, [teamId, leaseId]);
  }
}

async function lease(em: EntityManager, teamId: TeamId, leaseId: string): Promise<boolean> {
  const rows = await em.fork().execute<unknown[]>(
    `insert into endpoint_leases as held (team_id, lease_id, leased_until)
     values (?, ?, clock_timestamp() + make_interval(secs => ${LEASE_SECONDS}))
     on conflict (team_id) do update set lease_id = excluded.lease_id, leased_until = excluded.leased_until
      where held.leased_until < clock_timestamp()
     returning 1`,
    [teamId, leaseId],
  );
  return rows.length > 0;
}
