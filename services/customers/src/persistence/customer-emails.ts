import type { EntityManager } from '@mikro-orm/postgresql';
import type { CustomerId, ProjectScope } from '@billing/contracts/ids';
import { executeBound } from '@billing/database/bound-statement';
import { emailTaken } from '#domain/customer.ts';
import { CustomerEmail } from './customer-email.entity.ts';
import type { Customer } from './customer.entity.ts';

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

type EmailHolder = Pick<Customer, 'id' | 'teamId' | 'projectId' | 'email' | 'deletedAt'>;

/** Frees the e-mails that customers no longer have: all but the current one, and that too once they are deleted. */
export async function releaseEmails(tx: EntityManager, customers: readonly EmailHolder[]): Promise<void> {
  const current = customers.map(({ id, teamId, projectId, email, deletedAt }) => {
    return { id, team_id: teamId, project_id: projectId, email: deletedAt ? null : email };
  });
  await executeBound(
    tx,
    `delete from customer_emails taken
      using json_to_recordset($1::json) as customer (id text, team_id text, project_id text, email text)
      where (taken.team_id, taken.project_id, taken.customer_id) = (customer.team_id, customer.project_id, customer.id)
        and taken.email is distinct from customer.email`,
    [JSON.stringify(current)],
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
