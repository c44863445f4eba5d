import { LockMode, type EntityManager } from '@mikro-orm/postgresql';
import type { CustomerId, ProjectScope } from '@billing/contracts/ids';
import { notFound } from '@billing/contracts/problem';
import { FindCustomer } from '@billing/contracts/rpc/calls';
import type { RpcClient } from '@billing/messaging/rpc';
import { Customer } from '#persistence/customer.entity.ts';
import { keepCustomer } from '#persistence/customers.ts';

/** Finds a customer of the project: by our own copy, or by rpc where no fact has told of it yet. */
export type KnowCustomer = (
  scope: ProjectScope,
  id: CustomerId,
) => Promise<{ readonly processorCustomerId: string; readonly subscribedAt: Date | null }>;

/**
 * Makes a finder of customers that keeps what it is told.
 * @throws Problem 404 `customer_not_found` for an unknown, foreign or deleted one; 503 when its owner does not answer
 */
export function knowCustomer(em: EntityManager, rpc: RpcClient): KnowCustomer {
  return async (scope, id) => {
    const copy = await em.fork().findOne(Customer, { ...scope, id });
    if (copy?.deletedAt) throw notFound('customer');
    const subscribedAt = copy?.subscribedAt ?? null;
    if (copy?.processorCustomerId) return { processorCustomerId: copy.processorCustomerId, subscribedAt };
    const state = await rpc.call(FindCustomer, { ...scope, customerId: id });
    if (!state) throw notFound('customer');
    await keepCustomer(em.fork(), scope.teamId, state);
    return { processorCustomerId: state.processorCustomerId, subscribedAt };
  };
}

/**
 * Holds a known customer's row until the transaction ends.
 * @throws Problem 404 `customer_not_found` for one that was deleted meanwhile
 */
export async function lockCustomer(tx: EntityManager, scope: ProjectScope, id: CustomerId): Promise<Customer> {
  const customer = await tx.findOne(Customer, { ...scope, id }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  if (!customer || customer.deletedAt) throw notFound('customer');
  return customer;
}
