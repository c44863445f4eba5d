import type { EntityManager } from '@mikro-orm/postgresql';
import type { CustomerId, ProjectId, ReferralId, TeamId } from '@billing/contracts/ids';
import type { EarnedCredit } from '#domain/credit.ts';

/** A pending credit that this process has taken on. */
export interface ClaimedCredit extends EarnedCredit {
  readonly referralId: ReferralId;
  readonly teamId: TeamId;
  readonly projectId: ProjectId;
  readonly customerId: CustomerId;
  /** Attempts so far, this one among them: whoever claims it next counts on, which ends this claim. */
  readonly attempts: number;
  readonly keyVersion: number;
  /** The processor's customer that was named under this key; null while nothing was sent under it. */
  readonly processorCustomerId: string | null;
  readonly createdAt: Date;
  /** Since when the processor may have made it under this key; null when it certainly has not. */
  readonly sentAt: Date | null;
  /** Since when nothing is sent under this key any more. */
  readonly closedAt: Date | null;
}

/** How long a claim holds; after a crash another process takes the credit on. */
const CLAIM_SECONDS = 60;

interface ClaimedRow extends Omit<ClaimedCredit, 'createdAt' | 'sentAt' | 'closedAt'> {
  readonly createdMs: number;
  readonly sentMs: number | null;
  readonly closedMs: number | null;
}

/** Takes on up to `limit` credits that are due, longest due first; processes side by side take different ones. */
export async function claimCredits(em: EntityManager, limit: number): Promise<ClaimedCredit[]> {
  const rows = await em.fork().execute<ClaimedRow[]>(
    `update referral_credits
        set attempts = attempts + 1, due_at = clock_timestamp() + make_interval(secs => ${CLAIM_SECONDS})
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
    sentAt: timeOf(sentMs),
    closedAt: timeOf(closedMs),
  }));
}

const timeOf = (ms: number | null) => (ms === null ? null : new Date(ms));
