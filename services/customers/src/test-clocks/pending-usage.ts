import { unavailable } from '@billing/contracts/problem';
import { executeBound } from '@billing/database/bound-statement';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { LeasedClock } from './lease-clocks.ts';

/**
 * Returns whether usage of a clock's customers is still to be sent: the processor takes none that is old by the time of the clock,
 * and bills a period without what comes after its end.
 * @throws Problem `unavailable` when the processor did not take it the last time
 */
export async function isUsagePending(
  em: EntityManager,
  { id, teamId, projectId }: Pick<LeasedClock, 'id' | 'teamId' | 'projectId'>,
): Promise<boolean> {
  const queues = await executeBound<{ failures: number }>(
    em,
    // One that was deleted here exists at the processor all the same.
    `select failures from usage_queues q join customers c on c.id = q.customer_id
      where (q.team_id, q.project_id) = ($1, $2) and c.test_clock_id = $3
      order by failures desc limit 1`,
    [teamId, projectId, id],
  );
  if (queues.some(({ failures }) => failures > 0))
    throw unavailable('Usage of a customer on the test clock could not be sent yet.');
  return queues.length > 0;
}
