import type { EntityManager } from '@mikro-orm/postgresql';
import type { CustomerId, ProjectScope } from '@billing/contracts/ids';
import { emailTaken } from '#domain/customer.ts';
import { CustomerEmail } from './customer-email.entity.ts';

/** Takes an e-mail for a customer in the caller's transaction; false when another customer of the project has it. */
export async function takeEmail(
  tx: EntityManager,
  scope: ProjectScope,
  id: CustomerId,
  email: string,
): Promise<boolean> {
  const { teamId, projectId } = scope;
  // PostgreSQL waits for a concurrent insert of the same key; its commit or rollback decides.
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
 * Takes an e-mail that a caller wants for a customer.
 * @throws Problem 409 `customer_email_taken`
 */
export async function reserveEmail(
  tx: EntityManager,
  scope: ProjectScope,
  id: CustomerId,
  email: string,
): Promise<void> {
  if (!(await takeEmail(tx, scope, id, email))) throw emailTaken();
}

/** Frees all e-mails of a customer but one, or all of them when `except` is null. */
export async function releaseEmails(
  tx: EntityManager,
  scope: ProjectScope,
  id: CustomerId,
  except: string | null,
): Promise<void> {
  const { teamId, projectId } = scope;
  await tx.execute(
    `delete from customer_emails where team_id = ? and project_id = ? and customer_id = ? and email is distinct from ?::text`,
    [teamId, projectId, id, except],
  );
}

/** Finds the customer of the project that has an e-mail, or is about to get it. */
export async function findEmailOwner(
  em: EntityManager,
  { teamId, projectId }: ProjectScope,
  email: string,
): Promise<CustomerId | null> {
  const owned = await em.findOne(CustomerEmail, { teamId, projectId, email });
  return owned?.customerId ?? null;
}
