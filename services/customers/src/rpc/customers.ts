import type { EntityManager } from '@mikro-orm/postgresql';
import { FindCustomer, FindCustomersByProcessorId } from '@billing/contracts/rpc/calls';
import { ListCustomerStates } from '@billing/contracts/rpc/list-states';
import { serveRpc } from '@billing/messaging/rpc';
import type { NatsConnection } from '@nats-io/transport-node';
import type { Logger } from 'pino';
import { toState } from '#domain/customer.ts';
import { Customer, isLinked } from '#persistence/customer.entity.ts';
import { listCustomerStates } from './list-customer-states.ts';

interface CustomerRpcOptions {
  readonly em: EntityManager;
  readonly nats: NatsConnection;
  readonly root: string;
  readonly logger: Logger;
}

/** Serves the calls of other services about customers, until stopped. */
export function customerRpc({ em, ...bus }: CustomerRpcOptions): () => Promise<void> {
  const stops = [
    serveRpc(bus, FindCustomer, async ({ customerId, teamId, projectId }) => {
      const customer = await em.fork().findOne(Customer, { id: customerId, teamId, projectId, deletedAt: null });
      return isLinked(customer) ? toState(customer) : null;
    }),
    serveRpc(bus, FindCustomersByProcessorId, async ({ teamId, processorCustomerId }) => {
      const customers = await em.fork().find(Customer, { teamId, processorCustomerId, deletedAt: null });
      return customers.filter(isLinked).map(toState);
    }),
    serveRpc(bus, ListCustomerStates, listCustomerStates(em)),
  ];
  return async () => {
    await Promise.all(stops.map(stop => stop()));
  };
}
