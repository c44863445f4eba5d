import type { CustomerState } from '@billing/contracts/events/customers';
import { FindCustomer, FindCustomersByProcessorId } from '@billing/contracts/rpc/calls';
import type { Dependencies } from '../dependencies.ts';
import { saveCustomerCopies } from './save-copies.ts';
import { findCustomers, namedCustomer, type CustomerReference } from './find-customers.ts';

/**
 * Makes sure that there is a copy of the customer that an object of the processor belongs to. The customers service is
 * called if there is none: it may have customers whose events have not arrived here.
 * @throws Error when the project has no such customer; a later attempt may find it, while its creation is being committed
 */
export function fetchCustomer({ em, rpc }: Pick<Dependencies, 'em' | 'rpc'>) {
  return async (reference: CustomerReference): Promise<void> => {
    const [existing] = await findCustomers(em.fork(), [reference]);
    if (existing) return;
    const { scope, processorCustomerId } = reference;
    const { teamId, projectId } = scope;
    const candidates = (await rpc.call(FindCustomersByProcessorId, { teamId, processorCustomerId })).filter(
      it => it.projectId === projectId,
    );
    const named = namedCustomer(reference);
    const found = candidates.find(it => it.id === named) ?? newest(candidates);
    const state = found ?? (named ? await rpc.call(FindCustomer, { teamId, projectId, customerId: named }) : null);
    if (!state) throw new Error(`The project has no customer with the processor's id ${processorCustomerId}.`);
    await saveCustomerCopies(em.fork(), [{ teamId, state }]);
  };
}

function newest(customers: readonly CustomerState[]): CustomerState | undefined {
  return customers.toSorted((a, b) => b.createdAt.getTime() - a.createdAt.getTime())[0];
}
