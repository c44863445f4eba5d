import type { EntityManager } from '@mikro-orm/postgresql';
import { CustomerId, type ProjectScope } from '@billing/contracts/ids';
import type { CustomerState } from '@billing/contracts/events/customers';
import { FindCustomer, FindCustomersByProcessorId } from '@billing/contracts/rpc/calls';
import { executeBound } from '@billing/service/bound-statement';
import type { Dependencies } from '../dependencies.ts';
import { keepCustomer } from '#persistence/copies.ts';

/** What an object of the processor says of the customer it belongs to. */
export interface CustomerReference {
  readonly processorCustomerId: string;
  readonly metadata: Readonly<Record<string, string>>;
}

/**
 * Says which customer of the project an object of the processor belongs to: by our own copies, else by rpc the
 * customers service, which may know one that has not been heard of here yet.
 * @throws Error when nobody knows the customer; worth another try, for our own commit may be under way
 */
export function identifyCustomer({ em, rpc }: Pick<Dependencies, 'em' | 'rpc'>) {
  return async (scope: ProjectScope, reference: CustomerReference): Promise<CustomerId> => {
    const { processorCustomerId } = reference;
    const named = namedIn(reference);
    const [known] = await findKnownCustomers(em.fork(), scope, [reference]);
    if (known) return known;

    const { teamId, projectId } = scope;
    const candidates = (await rpc.call(FindCustomersByProcessorId, { teamId, processorCustomerId })).filter(
      it => it.projectId === projectId,
    );
    const found = candidates.find(it => it.id === named) ?? newest(candidates);
    const customer = found ?? (named ? await rpc.call(FindCustomer, { teamId, projectId, customerId: named }) : null);
    if (!customer) throw new Error(`The processor's customer ${processorCustomerId} is not known in this project.`);
    await keepCustomer(em.fork(), teamId, customer);
    return customer.id;
  };
}

/**
 * Says by our own copies, for each reference in order, which customer it means; undefined for one that is not known
 * here. The processor's id counts more than what metadata names, and a customer that was not deleted more than one that
 * was.
 */
export async function findKnownCustomers(
  em: EntityManager,
  { teamId, projectId }: ProjectScope,
  references: readonly CustomerReference[],
): Promise<(CustomerId | undefined)[]> {
  const rows = await executeBound<{ id: CustomerId | null }>(
    em,
    `select found.id
       from unnest($3::text[], $4::text[]) with ordinality as wanted (processor_customer_id, named, place)
       left join lateral (
         select known.id from known_customers known
          where known.team_id = $1 and known.project_id = $2
            and (known.processor_customer_id = wanted.processor_customer_id or known.id = wanted.named)
          order by known.processor_customer_id = wanted.processor_customer_id desc, known.id = wanted.named desc,
                   known.deleted_at is null desc, known.created_at desc, known.id
          limit 1) found on true
      order by wanted.place`,
    [teamId, projectId, references.map(it => it.processorCustomerId), references.map(it => namedIn(it) ?? '')],
  );
  return rows.map(({ id }) => id ?? undefined);
}

const namedIn = ({ metadata }: CustomerReference) => CustomerId.schema.safeParse(metadata['customerId']).data;

function newest(customers: readonly CustomerState[]): CustomerState | undefined {
  return customers.toSorted((a, b) => b.createdAt.getTime() - a.createdAt.getTime())[0];
}
