import type { EntityManager } from '@mikro-orm/postgresql';
import type { ProjectScope } from '@billing/contracts/ids';
import { executeBound } from '@billing/database/bound-statement';
import { findHeldElsewhere as findHeld } from '@billing/database/held-elsewhere';

/** Has transactions that reserve or record customers with these e-mails take turns, in all projects of the team. */
export async function lockEmailsOfTeam(tx: EntityManager, teamId: string, emails: readonly string[]): Promise<void> {
  await executeBound(
    tx,
    `select pg_advisory_xact_lock(hashtextextended('linked-email/' || $1 || '/' || email, 0)) from unnest($2::text[]) as email`,
    [teamId, [...new Set(emails)].toSorted()],
  );
}

const LINKED = { table: 'customers', column: 'processor_id', isLive: 'deleted_at is null' };

/**
 * Returns those of the processor's customers that live customers of the team's other projects are linked to. What is linked
 * there without a mark stays theirs.
 */
export const findHeldElsewhere = (em: EntityManager, scope: ProjectScope, processorIds: readonly string[]) =>
  findHeld(em, LINKED, scope, processorIds);

/** Returns those of the e-mails whose customers other projects of the team are just creating, or linking and marking. */
export async function findReservedElsewhere(
  tx: EntityManager,
  { teamId, projectId }: ProjectScope,
  emails: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await executeBound<{ email: string }>(
    tx,
    `select distinct email from customers
      where team_id = $1 and project_id <> $2 and processor_id is null and email = any($3::text[]) and deleted_at is null`,
    [teamId, projectId, [...emails]],
  );
  return new Set(rows.map(({ email }) => email));
}
