import type { EntityManager } from '@mikro-orm/postgresql';
import { CustomerId, type ProjectScope } from '@billing/contracts/ids';
import type { CustomerState } from '@billing/contracts/events/customers';
import { FindCustomer, FindCustomersByProcessorId } from '@billing/contracts/questions/questions';
import type { Dependencies } from '../dependencies.ts';
import { keepCustomer } from '#persistence/copies.ts';

/** What an object of the processor says of the customer it belongs to. */
export interface CustomerReference {
  readonly processorCustomerId: string;
  readonly metadata: Readonly<Record<string, string>>;
}

/**
 * Says which customer of the project an object of the processor belongs to: by our own copies, else by asking the
 * customers service, which may know one that has not been heard of here yet.
 * @throws Error when nobody knows the customer; worth another try, for our own commit may be under way
 */
export function identifyCustomer({ em, asking }: Pick<Dependencies, 'em' | 'asking'>) {
  return async (scope: ProjectScope, reference: CustomerReference): Promise<CustomerId> => {
    const { processorCustomerId } = reference;
    const named = CustomerId.schema.safeParse(reference.metadata['customerId']).data;
    const known = await findKnown(em.fork(), scope, processorCustomerId, named);
    if (known) return known;

    const { teamId, projectId } = scope;
    const candidates = (await asking.ask(FindCustomersByProcessorId, { teamId, processorCustomerId })).filter(
      it => it.projectId === projectId,
    );
    const found = candidates.find(it => it.id === named) ?? newest(candidates);
    const customer = found ?? (named ? await asking.ask(FindCustomer, { teamId, projectId, customerId: named }) : null);
    if (!customer) throw new Error(`The processor's customer ${processorCustomerId} is not known in this project.`);
    await keepCustomer(em.fork(), teamId, customer);
    return customer.id;
  };
}

/** The processor's id counts more than what metadata names, and a customer that was not deleted more than one that was. */
async function findKnown(
  em: EntityManager,
  { teamId, projectId }: ProjectScope,
  processorCustomerId: string,
  named: CustomerId | undefined,
): Promise<CustomerId | undefined> {
  const [row] = await em.execute<{ id: CustomerId }[]>(
    `select id from known_customers
      where team_id = ? and project_id = ? and (processor_customer_id = ? or id = ?)
      order by processor_customer_id = ? desc, id = ? desc, deleted_at is null desc, created_at desc, id limit 1`,
    [teamId, projectId, processorCustomerId, named ?? '', processorCustomerId, named ?? ''],
  );
  return row?.id;
}

function newest(customers: readonly CustomerState[]): CustomerState | undefined {
  return customers.toSorted((a, b) => b.createdAt.getTime() - a.createdAt.getTime())[0];
}
