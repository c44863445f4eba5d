import { LockMode, type EntityData, type EntityManager } from '@mikro-orm/postgresql';
import type { CustomerId, ProjectScope } from '@billing/contracts/ids';
import { notFound } from '@billing/contracts/problem';
import { executeBound } from '@billing/database/bound-statement';
import { ReferralCode } from './referral-code.entity.ts';

/**
 * Returns a code of the project, given in upper case.
 * @throws Problem 404 `referral_code_not_found`, also for a code of another project
 */
export function findCode(
  em: EntityManager,
  scope: ProjectScope,
  code: string,
  lockMode: LockMode = LockMode.NONE,
): Promise<ReferralCode> {
  return em.findOneOrFail(ReferralCode, { ...scope, code }, { lockMode, failHandler: () => notFound('referral_code') });
}

/** Deactivates the active codes of customers, and returns those that it deactivated. */
export async function deactivateCodes(
  tx: EntityManager,
  customers: readonly (ProjectScope & { readonly id: CustomerId })[],
  deactivatedAt: Date,
): Promise<ReferralCode[]> {
  const rows = await executeBound<EntityData<ReferralCode>>(
    tx,
    `update referral_codes c
        set is_active = false, version = c.version + 1, deactivated_at = $2
       from json_to_recordset($1::json) as customer ("teamId" text, "projectId" text, id text)
      where c.team_id = customer."teamId" and c.project_id = customer."projectId" and c.customer_id = customer.id
        and c.is_active
      returning c.*`,
    [JSON.stringify(customers.map(({ teamId, projectId, id }) => ({ teamId, projectId, id }))), deactivatedAt],
  );
  return rows.map(row => tx.map(ReferralCode, row));
}
