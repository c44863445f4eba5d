import type { EntityManager } from '@mikro-orm/postgresql';
import type { CustomerId, ProjectScope } from '@billing/contracts/ids';
import { executeBound } from '@billing/database/bound-statement';
import { extendLease, leaseRows, releaseLease, type LeasedTable } from '@billing/database/lease-rows';
import type { CustomerCopy } from '#copies/customer-copy.entity';

/** A page with its retries fits; every page extends the lease. */
const LEASE_SECONDS = 60;
/** The request that links a customer takes in its billing itself; without it, this is how long it waits, in seconds. */
const HEAD_START_SECONDS = 5;

/** An intake that this process works on. */
export interface LeasedIntake extends ProjectScope {
  readonly customerId: CustomerId;
  readonly processorCustomerId: string;
  readonly attempts: number;
  readonly leaseId: string;
}

const COLUMNS = `customer_id as "customerId", team_id as "teamId", project_id as "projectId",
  processor_customer_id as "processorCustomerId", attempts, lease_id as "leaseId"`;

const INTAKES: LeasedTable = {
  table: 'customer_intakes',
  key: ['customer_id'],
  leaseSeconds: LEASE_SECONDS,
  attempts: 'attempts',
  maxPerTeam: 2,
  columns: COLUMNS,
};

/** Has the billing of linked customers taken in, each once: later states of a customer change nothing. */
export async function insertIntakes(
  tx: EntityManager,
  customers: readonly Pick<CustomerCopy, 'id' | 'teamId' | 'projectId' | 'processorCustomerId'>[],
): Promise<void> {
  if (customers.length === 0) return;
  await executeBound(
    tx,
    `insert into customer_intakes
            (customer_id, team_id, project_id, processor_customer_id, attempts, due_at, created_at)
     select id, "teamId", "projectId", "processorCustomerId", 0,
            clock_timestamp() + make_interval(secs => ${HEAD_START_SECONDS}), clock_timestamp()
       from json_to_recordset($1::json) as
            c (id text, "teamId" text, "projectId" text, "processorCustomerId" text)
      order by id
     on conflict (customer_id) do nothing`,
    [JSON.stringify(customers)],
  );
}

/** Leases up to `limit` due intakes, few of each team. */
export async function leaseDueIntakes(em: EntityManager, limit: number): Promise<readonly LeasedIntake[]> {
  return (await leaseRows<LeasedIntake>(em, INTAKES, limit)).rows;
}

/** Leases the intake of a customer, before it is due if nobody works on it; `none` when there is nothing left to do. */
export async function leaseIntake(
  em: EntityManager,
  { teamId, projectId }: ProjectScope,
  customerId: CustomerId,
): Promise<LeasedIntake | 'none' | 'leased'> {
  const key = [customerId, teamId, projectId];
  const isOpen = 'customer_id = $1 and team_id = $2 and project_id = $3 and due_at is not null';
  const [leased] = await executeBound<LeasedIntake>(
    em.fork(),
    `update customer_intakes
        set lease_id = gen_random_uuid(), due_at = clock_timestamp() + make_interval(secs => ${LEASE_SECONDS}),
            attempts = attempts + 1
      where ${isOpen} and (lease_id is null or due_at <= clock_timestamp())
      returning ${COLUMNS}`,
    key,
  );
  if (leased) return leased;
  const open = await executeBound(em.fork(), `select 1 from customer_intakes where ${isOpen}`, key);
  return open.length > 0 ? 'leased' : 'none';
}

/** Extends the lease of an intake; false when another process has taken over. */
export const extendIntake = async (em: EntityManager, intake: LeasedIntake): Promise<boolean> =>
  (await extendLease(em.fork(), INTAKES, { ...heldBy(intake), seconds: LEASE_SECONDS })).length > 0;

/**
 * Releases an intake: it is due again after so many seconds, or complete with null. Returns false when another process has taken
 * over.
 */
export const releaseIntake = async (
  em: EntityManager,
  intake: LeasedIntake,
  dueAfterSeconds: number | null,
): Promise<boolean> => (await releaseLease(em.fork(), INTAKES, { ...heldBy(intake), dueAfterSeconds })).length > 0;

const heldBy = ({ leaseId, customerId }: LeasedIntake) => ({ leaseId, keys: [{ customer_id: customerId }] });
