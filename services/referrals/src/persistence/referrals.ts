import type { EntityManager, EntityData } from '@mikro-orm/postgresql';
import type { CustomerId, ProjectScope } from '@billing/contracts/ids';
import { executeBound } from '@billing/database/bound-statement';
import { Referral } from './referral.entity.ts';

/** Converts the pending referrals of referees, and returns those that it converted. */
export async function convertPendingReferrals(
  tx: EntityManager,
  referees: readonly (ProjectScope & { readonly customerId: CustomerId })[],
  convertedAt: Date,
): Promise<Referral[]> {
  const rows = await executeBound<EntityData<Referral>>(
    tx,
    `update referrals r
        set status = 'converted', converted_at = $2
       from json_to_recordset($1::json) as referee ("teamId" text, "projectId" text, "customerId" text)
      where r.team_id = referee."teamId" and r.project_id = referee."projectId"
        and r.referee_customer_id = referee."customerId" and r.status = 'pending'
      returning r.*`,
    [
      JSON.stringify(referees.map(({ teamId, projectId, customerId }) => ({ teamId, projectId, customerId }))),
      convertedAt,
    ],
  );
  return rows.map(row => tx.map(Referral, row));
}
