import type { EntityManager } from '@mikro-orm/postgresql';
import type { ProjectId, TeamId } from '@billing/contracts/ids';

/** How long a result is used. */
const VALID_FOR = `interval '1 hour'`;
/** After this time another copy may look a customer up although the first look-up has not ended: its process has died. */
const TIMEOUT = `interval '60 seconds'`;

/** A customer at Stripe. */
interface Customer {
  readonly teamId: TeamId;
  /** Stripe's id. */
  readonly customerId: string;
}

/** Whether a customer must be looked up, what the last look-up found, or that another one runs. */
type LookUp =
  | { readonly kind: 'begun' }
  | { readonly kind: 'ended'; readonly projectId: ProjectId | null }
  | { readonly kind: 'running' };

/** Begins the look-up of a customer, unless one began within the hour. Who has begun it must end it. */
export async function beginLookUp(em: EntityManager, { teamId, customerId }: Customer): Promise<LookUp> {
  const [begun] = await em.fork().execute<unknown[]>(
    `insert into customer_look_ups as known (team_id, processor_customer_id, begun_at, has_ended)
     values (?, ?, clock_timestamp(), false)
     on conflict (team_id, processor_customer_id) do update
        set begun_at = excluded.begun_at, has_ended = false, project_id = null
      where known.begun_at < clock_timestamp() - case when known.has_ended then ${VALID_FOR} else ${TIMEOUT} end
     returning 1`,
    [teamId, customerId],
  );
  if (begun) return { kind: 'begun' };
  const [known] = await em
    .fork()
    .execute<{ has_ended: boolean; project_id: ProjectId | null }[]>(
      `select has_ended, project_id from customer_look_ups where team_id = ? and processor_customer_id = ?`,
      [teamId, customerId],
    );
  return known?.has_ended ? { kind: 'ended', projectId: known.project_id } : { kind: 'running' };
}

/** Saves the result of a look-up. */
export async function endLookUp(
  em: EntityManager,
  { teamId, customerId }: Customer,
  projectId: ProjectId | null,
): Promise<void> {
  await em.fork().execute(
    `update customer_look_ups set has_ended = true, project_id = ?
      where team_id = ? and processor_customer_id = ?`,
    [projectId, teamId, customerId],
  );
}

/** Takes a look-up back that failed: the next one may begin at once. */
export async function cancelLookUp(em: EntityManager, { teamId, customerId }: Customer): Promise<void> {
  await em
    .fork()
    .execute(`delete from customer_look_ups where team_id = ? and processor_customer_id = ? and not has_ended`, [
      teamId,
      customerId,
    ]);
}

/** Deletes results that are used no more. */
export async function deleteOldLookUps(em: EntityManager): Promise<void> {
  await em.fork().execute(`delete from customer_look_ups where begun_at < clock_timestamp() - ${VALID_FOR}`);
}
