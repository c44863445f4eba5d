import type { EntityManager } from '@mikro-orm/postgresql';
import type { CustomerId, ProjectId, ReferralId, TeamId } from '@billing/contracts/ids';
import type { EarnedCredit } from '#domain/credit.ts';

/** A pending credit that this process has leased. */
export interface LeasedCredit extends EarnedCredit {
  readonly referralId: ReferralId;
  readonly teamId: TeamId;
  readonly projectId: ProjectId;
  readonly customerId: CustomerId;
  /** Attempts so far, including this one. The next lease increments it, which ends this lease. */
  readonly attempts: number;
  readonly keyVersion: number;
  /** The processor's customer in the request with this key; null while nothing was sent with it. */
  readonly processorCustomerId: string | null;
  readonly createdAt: Date;
  /** When the credit was first sent with this key; null while nothing was sent with it. */
  readonly sentAt: Date | null;
  /** When the key was closed: nothing more is sent with it. */
  readonly closedAt: Date | null;
}

/** How long a lease lasts; after a crash another process takes over. */
const LEASE_SECONDS = 60;

interface LeasedRow extends Omit<LeasedCredit, 'createdAt' | 'sentAt' | 'closedAt'> {
  readonly createdMs: number;
  readonly sentMs: number | null;
  readonly closedMs: number | null;
}

/** Leases up to `limit` due credits, longest due first. Concurrent processes lease different ones. */
export async function leaseCredits(em: EntityManager, limit: number): Promise<LeasedCredit[]> {
  const rows = await em.fork().execute<LeasedRow[]>(
    `update referral_credits
        set attempts = attempts + 1, due_at = clock_timestamp() + make_interval(secs => ${LEASE_SECONDS})
      where (referral_id, side) in (
        select referral_id, side from referral_credits
         where status = 'pending' and due_at <= clock_timestamp()
         order by due_at limit ? for update skip locked)
      returning referral_id as "referralId", side, team_id as "teamId", project_id as "projectId",
                customer_id as "customerId", amount, currency, attempts, key_version as "keyVersion",
                processor_customer_id as "processorCustomerId",
                (extract(epoch from created_at) * 1000)::float8 as "createdMs",
                (extract(epoch from sent_at) * 1000)::float8 as "sentMs",
                (extract(epoch from closed_at) * 1000)::float8 as "closedMs"`,
    [limit],
  );
  return rows.map(({ createdMs, sentMs, closedMs, ...row }) => ({
    ...row,
    createdAt: new Date(createdMs),
    sentAt: dateFrom(sentMs),
    closedAt: dateFrom(closedMs),
  }));
}

const dateFrom = (ms: number | null) => (ms === null ? null : new Date(ms));
