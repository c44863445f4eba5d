import type { EntityManager } from '@mikro-orm/postgresql';
import type { ProjectId, TeamId } from '@billing/contracts/ids';
import { unavailable } from '@billing/contracts/problem';

/** How long a result is used. */
const VALID_FOR = `interval '1 hour'`;
/** After this time another copy may look a customer up although the first look-up has not ended: its process has died. */
const TIMEOUT = `interval '60 seconds'`;

const IS_CUSTOMER = 'team_id = ? and processor_customer_id = ?';

/**
 * Looks up which project a customer names, unless any copy of the service did within the hour.
 * @throws Problem `unavailable` while another copy looks the customer up; what `lookUp` throws, after which the next may begin
 */
export async function lookUpOncePerHour(
  em: EntityManager,
  teamId: TeamId,
  customerId: string,
  lookUp: () => Promise<ProjectId | null>,
): Promise<ProjectId | null> {
  const key = [teamId, customerId];
  const [begun] = await em.fork().execute<unknown[]>(
    `insert into customer_look_ups as known (team_id, processor_customer_id, valid_until, has_ended)
     values (?, ?, clock_timestamp() + ${TIMEOUT}, false)
     on conflict (team_id, processor_customer_id) do update
        set valid_until = excluded.valid_until, has_ended = false, project_id = null
      where known.valid_until < clock_timestamp()
     returning 1`,
    key,
  );
  if (!begun) {
    const select = `select project_id from customer_look_ups where ${IS_CUSTOMER} and has_ended`;
    const [known] = await em.fork().execute<{ project_id: ProjectId | null }[]>(select, key);
    if (known) return known.project_id;
    throw unavailable('Another copy of the service looks the customer up.');
  }
  try {
    const projectId = await lookUp();
    await em.fork().execute(
      `update customer_look_ups set has_ended = true, project_id = ?, valid_until = clock_timestamp() + ${VALID_FOR}
        where ${IS_CUSTOMER}`,
      [projectId, ...key],
    );
    return projectId;
  } catch (err) {
    await em.fork().execute(`delete from customer_look_ups where ${IS_CUSTOMER} and not has_ended`, key);
    throw err;
  }
}
