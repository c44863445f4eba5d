import type { EntityManager } from '@mikro-orm/postgresql';
import { CustomerId, type ProjectScope } from '@billing/contracts/ids';
import { executeBound } from '@billing/database/bound-statement';
import type { ProjectObject } from '@billing/database/project-objects';
import { lockCustomers } from './locks.ts';

/** How an object of the processor refers to its customer. */
export interface CustomerReference {
  readonly scope: ProjectScope;
  readonly processorCustomerId: string;
  /** May name our customer. */
  readonly metadata: Readonly<Record<string, string>>;
}

/**
 * Finds, for each reference in order, the project's customer in our copies; undefined without a copy. The processor's id
 * counts more than a name in the metadata. Of several customers that had the processor's id one after the other, it is the
 * one that is not deleted, or else the last one.
 *
 * In a transaction, no copy of these customers is saved until it ends: what is recorded for a customer here is seen by
 * whoever moves its records to the next one (`moveRecords`).
 */
export async function findCustomers(
  em: EntityManager,
  references: readonly CustomerReference[],
): Promise<(CustomerId | undefined)[]> {
  if (references.length === 0) return [];
  if (em.isInTransaction()) await lockCustomers(em, references.map(toProcessorCustomer), { shared: true });
  const rows = await executeBound<{ id: CustomerId | null }>(
    em,
    // Two look-ups by a key each: one condition with "or" reads all customers of the project.
    `select coalesce(
              (select copy.id from customer_copies copy
                where copy.team_id = wanted.team_id and copy.project_id = wanted.project_id
                  and copy.processor_customer_id = wanted.processor_customer_id
                order by copy.deleted_at is null desc, copy.created_at desc, copy.id desc
                limit 1),
              (select copy.id from customer_copies copy
                where copy.team_id = wanted.team_id and copy.project_id = wanted.project_id
                  and copy.id = wanted.named)) as id
       from unnest($1::text[], $2::text[], $3::text[], $4::text[]) with ordinality
              as wanted (team_id, project_id, processor_customer_id, named, place)
      order by wanted.place`,
    [
      references.map(({ scope }) => scope.teamId),
      references.map(({ scope }) => scope.projectId),
      references.map(it => it.processorCustomerId),
      references.map(it => namedCustomer(it) ?? ''),
    ],
  );
  return rows.map(({ id }) => id ?? undefined);
}

/** Returns the customer that the metadata names. */
export const namedCustomer = ({ metadata }: Pick<CustomerReference, 'metadata'>): CustomerId | undefined =>
  CustomerId.schema.safeParse(metadata['customerId']).data;

const toProcessorCustomer = ({ scope, processorCustomerId: id }: CustomerReference): ProjectObject => ({ scope, id });
