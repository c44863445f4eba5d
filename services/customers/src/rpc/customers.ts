import type { EntityManager } from '@mikro-orm/postgresql';
import { rpcHandler, type RpcHandler } from '@billing/service/definition';
import {
  FindCustomer,
  FindCustomerByExternalId,
  FindCustomersByProcessorId,
  SearchCustomers,
} from '@billing/contracts/rpc/calls';
import { CountMirrored } from '@billing/contracts/rpc/accounts';
import { ListCustomerStates } from '@billing/contracts/rpc/list-states';
import { CompareObjects, ListLiveRecords } from '@billing/contracts/rpc/syncs';
import { listPage } from '@billing/database/find-page';
import { countMirrored } from '@billing/processor/operation-log/account-fence';
import { isMirrored } from '@billing/service/mirrored-rows';
import { toState } from '#domain/customer.ts';
import { findOwners } from '#persistence/customer-identifiers.ts';
import { Customer } from '#persistence/customer.entity.ts';
import { customers } from '#persistence/find-customer.ts';
import { searchCustomers } from '#operations/list-customers.ts';
import { compareCustomers } from './compare-customers.ts';

/** The calls of other services about customers. */
export const customerRpc = (em: EntityManager): RpcHandler[] => [
  rpcHandler(FindCustomer, async ({ customerId, teamId, projectId }) => {
    const customer = await em.fork().findOne(Customer, { id: customerId, teamId, projectId, deletedAt: null });
    return isMirrored(customer) ? { ...toState(customer), locale: customer.billing?.locale ?? null } : null;
  }),
  rpcHandler(FindCustomerByExternalId, async ({ externalId, ...scope }) => {
    const owners = await findOwners(em.fork(), scope, { kind: 'external-id', values: [externalId] });
    const id = owners.get(externalId);
    const customer = id && (await em.fork().findOne(Customer, { ...scope, id, deletedAt: null }));
    return customer && isMirrored(customer) ? toState(customer) : null;
  }),
  rpcHandler(FindCustomersByProcessorId, async ({ teamId, processorCustomerId }) => {
    const found = await em.fork().find(Customer, { teamId, processorId: processorCustomerId, deletedAt: null });
    return found.filter(isMirrored).map(toState);
  }),
  rpcHandler(SearchCustomers, ({ search, ...scope }) => searchCustomers(em.fork(), scope, search)),
  // Those still being created are left out.
  rpcHandler(ListCustomerStates, page =>
    listPage(em.fork(), Customer, page, row =>
      isMirrored(row) ? { recordedAt: row.updatedAt, state: toState(row) } : null,
    ),
  ),
  rpcHandler(CountMirrored.customers, countMirrored(em, { customers: 'customers where deleted_at is null' })),
  rpcHandler(CompareObjects.customers, compareCustomers(em)),
  // The processor's list leaves out what lives on test clocks.
  rpcHandler(ListLiveRecords.customers, page =>
    customers.listLive(em.fork(), page, ({ testClockId }) => testClockId === null),
  ),
];
