import type { EntityManager } from '@mikro-orm/postgresql';
import { rpcHandler, type RpcHandler } from '@billing/service/definition';
import { FindCustomer, FindCustomerByExternalId, FindCustomersByProcessorId } from '@billing/contracts/rpc/calls';
import { ListCustomerStates } from '@billing/contracts/rpc/list-states';
import { CompareObjects, ListLiveRecords } from '@billing/contracts/rpc/syncs';
import { isMirrored } from '@billing/service/mirrored-rows';
import { toState } from '#domain/customer.ts';
import { findOwners } from '#persistence/customer-identifiers.ts';
import { Customer } from '#persistence/customer.entity.ts';
import { compareCustomers } from './compare-customers.ts';
import { listCustomerStates } from './list-customer-states.ts';
import { listLiveCustomers } from './list-live-customers.ts';

/** The calls of other services about customers. */
export const customerRpc = (em: EntityManager): RpcHandler[] => [
  rpcHandler(FindCustomer, async ({ customerId, teamId, projectId }) => {
    const customer = await em.fork().findOne(Customer, { id: customerId, teamId, projectId, deletedAt: null });
    return isMirrored(customer) ? toState(customer) : null;
  }),
  rpcHandler(FindCustomerByExternalId, async ({ externalId, ...scope }) => {
    const owners = await findOwners(em.fork(), scope, { kind: 'external-id', values: [externalId] });
    const id = owners.get(externalId);
    const customer = id && (await em.fork().findOne(Customer, { ...scope, id, deletedAt: null }));
    return customer && isMirrored(customer) ? toState(customer) : null;
  }),
  rpcHandler(FindCustomersByProcessorId, async ({ teamId, processorCustomerId }) => {
    const customers = await em.fork().find(Customer, { teamId, processorId: processorCustomerId, deletedAt: null });
    return customers.filter(isMirrored).map(toState);
  }),
  rpcHandler(ListCustomerStates, listCustomerStates(em)),
  rpcHandler(CompareObjects.customers, compareCustomers(em)),
  rpcHandler(ListLiveRecords.customers, listLiveCustomers(em)),
];
