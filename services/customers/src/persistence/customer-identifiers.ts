import type { EntityManager } from '@mikro-orm/postgresql';
import type { CustomerId, ProjectScope } from '@billing/contracts/ids';
import { executeBound } from '@billing/database/bound-statement';
import { emailTaken, externalIdTaken } from '#domain/customer.ts';
import type { Customer } from './customer.entity.ts';
import { IDENTIFIER_KINDS, type CustomerIdentifier, type IdentifierKind } from './customer-identifier.entity.ts';

/** An e-mail, trimmed and lower-cased, or an external id. */
interface Identifier {
  readonly kind: IdentifierKind;
  readonly value: string;
}

/** Takes an identifier for a customer in the caller's transaction; false when another customer of the project has it. */
export async function takeIdentifier(
  tx: EntityManager,
  scope: ProjectScope,
  id: CustomerId,
  { kind, value }: Identifier,
): Promise<boolean> {
  const { teamId, projectId } = scope;
  // PostgreSQL waits for a concurrent insert of the same key; its commit or rollback decides.
  await tx.execute(
    `insert into customer_identifiers (team_id, project_id, kind, value, customer_id) values (?, ?, ?, ?, ?)
     on conflict do nothing`,
    [teamId, projectId, kind, value, id],
  );
  return (await findOwner(tx, scope, { kind, value })) === id;
}

/**
 * Takes what a caller wants for a customer; a field without a value is left out.
 * @throws Problem 409 `customer_email_taken`, `customer_external_id_taken`
 */
export async function reserveIdentifiers(
  tx: EntityManager,
  scope: ProjectScope,
  id: CustomerId,
  { email, externalId }: { readonly email?: string | undefined; readonly externalId?: string | null | undefined },
): Promise<void> {
  if (email !== undefined && !(await takeIdentifier(tx, scope, id, { kind: 'email', value: email })))
    throw emailTaken();
  if (!externalId) return;
  if (!(await takeIdentifier(tx, scope, id, { kind: 'external-id', value: externalId }))) throw externalIdTaken();
}

type Holder = Pick<Customer, 'id' | 'teamId' | 'projectId' | 'email' | 'externalId' | 'deletedAt'>;

/** Frees the identifiers that customers no longer have: all but the current ones, and those too once they are deleted. */
export async function releaseIdentifiers(
  tx: EntityManager,
  customers: readonly Holder[],
  kinds: readonly IdentifierKind[] = IDENTIFIER_KINDS,
): Promise<void> {
  const current = customers.flatMap(({ id, teamId, projectId, email, externalId, deletedAt }) => {
    const values: Record<IdentifierKind, string | null> = { email, 'external-id': externalId };
    return kinds.map(kind => {
      return { id, team_id: teamId, project_id: projectId, kind, value: deletedAt ? null : values[kind] };
    });
  });
  if (current.length === 0) return;
  await executeBound(
    tx,
    `delete from customer_identifiers taken
      using json_to_recordset($1::json)
              as customer (id text, team_id text, project_id text, kind text, value text)
      where (taken.team_id, taken.project_id, taken.customer_id, taken.kind)
              = (customer.team_id, customer.project_id, customer.id, customer.kind)
        and taken.value is distinct from customer.value`,
    [JSON.stringify(current)],
  );
}

/** Finds the customer of the project that has an identifier, or is about to get it. */
export async function findOwner(
  em: EntityManager,
  { teamId, projectId }: ProjectScope,
  { kind, value }: Identifier,
): Promise<CustomerId | null> {
  const [owned] = await em.execute<Pick<CustomerIdentifier, 'customerId'>[]>(
    `select customer_id as "customerId" from customer_identifiers
      where team_id = ? and project_id = ? and kind = ? and value = ?`,
    [teamId, projectId, kind, value],
  );
  return owned?.customerId ?? null;
}
