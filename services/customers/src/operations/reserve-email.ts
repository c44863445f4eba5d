import type { EntityManager } from '@mikro-orm/postgresql';
import type { CustomerId, ProjectScope } from '@billing/contracts/ids';
import { emailTaken } from '#domain/customer.ts';
import { CustomerEmail } from '#persistence/customer-email.entity.ts';

/** Takes an e-mail for a customer in the caller's transaction; false when another customer of the project has it. */
export async function takeEmail(
  tx: EntityManager,
  scope: ProjectScope,
  id: CustomerId,
  email: string,
): Promise<boolean> {
  const { teamId, projectId } = scope;
  // A concurrent taker is waited for: its commit or rollback decides.
  await tx.execute(
    `insert into customer_emails (team_id, project_id, email, customer_id) values (?, ?, ?, ?) on conflict do nothing`,
    [teamId, projectId, email, id],
  );
  const rows = await tx.execute<unknown[]>(
    `select 1 from customer_emails where team_id = ? and project_id = ? and email = ? and customer_id = ?`,
    [teamId, projectId, email, id],
  );
  return rows.length > 0;
}

/**
 * The same for what a caller asks.
 * @throws Problem 409 `customer_email_taken`
 */
export async function reserveEmail(
  tx: EntityManager,
  scope: ProjectScope,
  id: CustomerId,
  email: string,
): Promise<void> {
  if (await takeEmail(tx, scope, id, email)) return;
  throw emailTaken();
}

/** Leaves a customer with one e-mail, or with none: the others are free again. */
export async function releaseEmails(
  tx: EntityManager,
  scope: ProjectScope,
  id: CustomerId,
  kept: string | null,
): Promise<void> {
  const { teamId, projectId } = scope;
  await tx.execute(
    `delete from customer_emails where team_id = ? and project_id = ? and customer_id = ? and email is distinct from ?::text`,
    [teamId, projectId, id, kept],
  );
}

/** Who has an e-mail of the project, or is about to get it. */
export async function findHolder(
  em: EntityManager,
  { teamId, projectId }: ProjectScope,
  email: string,
): Promise<CustomerId | null> {
  const held = await em.findOne(CustomerEmail, { teamId, projectId, email });
  return held?.customerId ?? null;
}
