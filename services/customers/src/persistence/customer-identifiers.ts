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

/** A value that a customer is to get. */
export interface Claim {
  readonly id: CustomerId;
  readonly value: string;
}

/**
 * Takes identifiers of one kind for customers in the caller's transaction, one after the other. Returns the customers that
 * have theirs; of several that want the same one the first gets it.
 */
export async function takeIdentifiers(
  tx: EntityManager,
  scope: ProjectScope,
  kind: IdentifierKind,
  claims: readonly Claim[],
): Promise<ReadonlySet<CustomerId>> {
  if (claims.length === 0) return new Set();
  const { teamId, projectId } = scope;
  // PostgreSQL waits for a concurrent insert of the same key; its commit or rollback decides.
  const taken = await executeBound<{ id: CustomerId }>(
    tx,
    `insert into customer_identifiers (team_id, project_id, kind, value, customer_id)
     select $1, $2, $3, value, id
       from unnest($4::text[], $5::text[]) with ordinality as claim (value, id, place)
      order by place
         on conflict do nothing returning customer_id as id`,
    [teamId, projectId, kind, claims.map(({ value }) => value), claims.map(({ id }) => id)],
  );
  const holders = new Set(taken.map(({ id }) => id));
  const others = claims.filter(({ id }) => !holders.has(id));
  const owners = await findOwners(tx, scope, { kind, values: others.map(({ value }) => value) });
  for (const { id, value } of others) if (owners.get(value) === id) holders.add(id);
  return holders;
}

/** Takes an identifier for a customer in the caller's transaction; false when another customer of the project has it. */
export async function takeIdentifier(
  tx: EntityManager,
  scope: ProjectScope,
  id: CustomerId,
  { kind, value }: Identifier,
): Promise<boolean> {
  return (await takeIdentifiers(tx, scope, kind, [{ id, value }])).has(id);
}

/** Takes an e-mail as `takeIdentifier` does; none is always free. */
export const takeEmail = async (
  tx: EntityManager,
  scope: ProjectScope,
  id: CustomerId,
  email: string | null,
): Promise<boolean> => email === null || takeIdentifier(tx, scope, id, { kind: 'email', value: email });

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

/** An e-mail of a project's customers. */
export interface ScopedEmail extends ProjectScope {
  readonly value: string;
}

/** Returns the e-mails that others may have to get: the one that a customer waits for, and the one that it has until then. */
export function openEmails({ teamId, projectId, email, wantedEmail }: Customer): ScopedEmail[] {
  if (wantedEmail === null) return [];
  return [wantedEmail, email].flatMap(value => (value === null ? [] : [{ teamId, projectId, value }]));
}

/**
 * Takes an e-mail as `takeIdentifier` does. Returns null, or who has it: until the end of the transaction that customer then
 * keeps it, so that it is not freed unnoticed.
 */
export async function claimEmail(
  tx: EntityManager,
  scope: ProjectScope,
  id: CustomerId,
  value: string,
): Promise<CustomerId | null> {
  for (;;) {
    if (await takeIdentifier(tx, scope, id, { kind: 'email', value })) return null;
    const [holder] = await executeBound<Pick<CustomerIdentifier, 'customerId'>>(
      tx,
      `select customer_id as "customerId" from customer_identifiers
        where team_id = $1 and project_id = $2 and kind = 'email' and value = $3 for share`,
      [scope.teamId, scope.projectId, value],
    );
    if (holder) return holder.customerId;
  }
}

/** Makes an e-mail another customer's. */
export const passEmail = async (
  tx: EntityManager,
  { teamId, projectId, value }: ScopedEmail,
  id: CustomerId,
): Promise<void> =>
  void (await executeBound(
    tx,
    `update customer_identifiers set customer_id = $4
      where team_id = $1 and project_id = $2 and kind = 'email' and value = $3`,
    [teamId, projectId, value, id],
  ));

type Holder = Pick<Customer, 'id' | 'teamId' | 'projectId' | 'email' | 'externalId' | 'deletedAt'>;

/**
 * Frees the identifiers that customers no longer have: all but the current ones, and those too once they are deleted.
 * Returns the freed e-mails, for which others may wait (`settleEmails`).
 */
export async function releaseIdentifiers(
  tx: EntityManager,
  customers: readonly Holder[],
  kinds: readonly IdentifierKind[] = IDENTIFIER_KINDS,
): Promise<ScopedEmail[]> {
  const current = customers.flatMap(({ id, teamId, projectId, email, externalId, deletedAt }) => {
    const values: Record<IdentifierKind, string | null> = { email, 'external-id': externalId };
    return kinds.map(kind => {
      return { id, team_id: teamId, project_id: projectId, kind, value: deletedAt ? null : values[kind] };
    });
  });
  if (current.length === 0) return [];
  const freed = await executeBound<ScopedEmail & { readonly kind: IdentifierKind }>(
    tx,
    `delete from customer_identifiers taken
      using json_to_recordset($1::json)
              as customer (id text, team_id text, project_id text, kind text, value text)
      where (taken.team_id, taken.project_id, taken.customer_id, taken.kind)
              = (customer.team_id, customer.project_id, customer.id, customer.kind)
        and taken.value is distinct from customer.value
     returning taken.team_id as "teamId", taken.project_id as "projectId", taken.kind, taken.value`,
    [JSON.stringify(current)],
  );
  return freed.filter(({ kind }) => kind === 'email');
}

/** Finds the customers of the project that have e-mails or external ids, or are about to get them, by these. */
export async function findOwners(
  em: EntityManager,
  { teamId, projectId }: ProjectScope,
  { kind, values }: { readonly kind: IdentifierKind; readonly values: readonly string[] },
): Promise<ReadonlyMap<string, CustomerId>> {
  if (values.length === 0) return new Map();
  const owned = await executeBound<Pick<CustomerIdentifier, 'value' | 'customerId'>>(
    em,
    `select value, customer_id as "customerId" from customer_identifiers
      where team_id = $1 and project_id = $2 and kind = $3 and value = any($4::text[])`,
    [teamId, projectId, kind, values],
  );
  return new Map(owned.map(({ value, customerId }) => [value, customerId]));
}

/** Finds the customer of the project that has an identifier, or is about to get it. */
export async function findOwner(
  em: EntityManager,
  scope: ProjectScope,
  { kind, value }: Identifier,
): Promise<CustomerId | null> {
  return (await findOwners(em, scope, { kind, values: [value] })).get(value) ?? null;
}
