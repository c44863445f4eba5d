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

/**
 * Marks the converted referrals of customers as earned whose referee has, or had, an active or trialing subscription that
 * started in the second of the referral or later, and returns those that it marked: each referral once.
 */
export async function earnConvertedReferrals(
  tx: EntityManager,
  referees: readonly (ProjectScope & { readonly customerId: CustomerId })[],
  earnedAt: Date,
): Promise<Referral[]> {
  const rows = await executeBound<EntityData<Referral>>(
    tx,
    `update referrals r
        set earned_at = $2
       from (select distinct "teamId", "projectId", "customerId"
               from json_to_recordset($1::json) as s ("teamId" text, "projectId" text, "customerId" text)) as s
       join customer_copies c on c.team_id = s."teamId" and c.project_id = s."projectId" and c.id = s."customerId"
      where r.team_id = c.team_id and r.project_id = c.project_id and r.referee_customer_id = c.id
        and r.status = 'converted' and r.earned_at is null
        and date_trunc('second', c.active_started_at) >= date_trunc('second', r.created_at)
      returning r.*`,
    [
      JSON.stringify(referees.map(({ teamId, projectId, customerId }) => ({ teamId, projectId, customerId }))),
      earnedAt,
    ],
  );
  return rows.map(row => tx.map(Referral, row));
}
