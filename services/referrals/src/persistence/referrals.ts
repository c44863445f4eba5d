import type { EntityManager, EntityData } from '@mikro-orm/postgresql';
import type { CustomerId, ProjectScope } from '@billing/contracts/ids';
import { executeBound } from '@billing/database/bound-statement';
import { Referral } from './referral.entity.ts';

/** A subscription that became known. */
export interface NewSubscription extends ProjectScope {
  readonly customerId: CustomerId;
  /** At the processor, whose clock counts whole seconds. */
  readonly startedAt: Date;
}

/**
 * Converts the pending referrals of customers with a subscription that started in the second of the referral or later, and
 * returns those that it converted.
 */
export async function convertPendingReferrals(
  tx: EntityManager,
  subscriptions: readonly NewSubscription[],
  convertedAt: Date,
): Promise<Referral[]> {
  const rows = await executeBound<EntityData<Referral>>(
    tx,
    `update referrals r
        set status = 'converted', converted_at = $2
       from json_to_recordset($1::json) as
              s ("teamId" text, "projectId" text, "customerId" text, "startedAt" timestamptz)
      where r.team_id = s."teamId" and r.project_id = s."projectId" and r.referee_customer_id = s."customerId"
        and r.status = 'pending' and date_trunc('second', s."startedAt") >= date_trunc('second', r.created_at)
      returning r.*`,
    [
      JSON.stringify(
        subscriptions.map(({ teamId, projectId, customerId, startedAt }) => {
          return { teamId, projectId, customerId, startedAt };
        }),
      ),
      convertedAt,
    ],
  );
  return rows.map(row => tx.map(Referral, row));
}
