import type { EntityManager } from '@mikro-orm/postgresql';
import type { CustomerId, ProjectScope } from '@billing/contracts/ids';
import { notFound } from '@billing/contracts/problem';
import { FindCustomer } from '@billing/contracts/rpc/calls';
import type { RpcClient } from '@billing/messaging/rpc';
import { saveCustomerCopies } from '#persistence/customer-copies.ts';
import { CustomerCopy } from '#persistence/customer-copy.entity.ts';

export interface ResolveCustomerDependencies {
  readonly em: EntityManager;
  readonly rpc: RpcClient;
}

export interface ResolvedCustomer {
  readonly processorCustomerId: string;
  readonly subscribedAt: Date | null;
}

/**
 * Finds a customer of the project: in the local copy or, where no event of the customer has arrived yet, by RPC. The
 * customer has a copy afterwards.
 * @throws Problem 404 `customer_not_found` for an unknown, foreign or deleted one; 503 when customers does not reply
 */
export function resolveCustomer({ em, rpc }: ResolveCustomerDependencies) {
  return async (scope: ProjectScope, id: CustomerId): Promise<ResolvedCustomer> => {
    const copy = await em.fork().findOne(CustomerCopy, { ...scope, id });
    if (copy?.deletedAt) throw notFound('customer');
    const subscribedAt = copy?.subscribedAt ?? null;
    if (copy?.processorCustomerId) return { processorCustomerId: copy.processorCustomerId, subscribedAt };
    const state = await rpc.call(FindCustomer, { ...scope, customerId: id });
    if (!state) throw notFound('customer');
    await saveCustomerCopies(em.fork(), [{ ...state, teamId: scope.teamId }]);
    return { processorCustomerId: state.processorCustomerId, subscribedAt };
  };
}
