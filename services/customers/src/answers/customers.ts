import type { EntityManager } from '@mikro-orm/postgresql';
import { FindCustomer, FindCustomersByProcessorId } from '@billing/contracts/rpc/calls';
import { ListCustomerStates } from '@billing/contracts/rpc/list-states';
import { serveRpc } from '@billing/messaging/rpc';
import type { NatsConnection } from '@nats-io/transport-node';
import type { Logger } from 'pino';
import { stateOf } from '#domain/customer.ts';
import { Customer, isLinked } from '#persistence/customer.entity.ts';
import { listCustomerStates } from './records.ts';

interface AnswerOptions {
  readonly em: EntityManager;
  readonly nats: NatsConnection;
  readonly root: string;
  readonly logger: Logger;
}

/** Answers what other services ask about customers, until stopped. */
export function answerAboutCustomers({ em, ...bus }: AnswerOptions): () => Promise<void> {
  const stops = [
    serveRpc(bus, FindCustomer, async ({ customerId, teamId, projectId }) => {
      const customer = await em.fork().findOne(Customer, { id: customerId, teamId, projectId, deletedAt: null });
      return isLinked(customer) ? stateOf(customer) : null;
    }),
    serveRpc(bus, FindCustomersByProcessorId, async ({ teamId, processorCustomerId }) => {
      const customers = await em.fork().find(Customer, { teamId, processorCustomerId, deletedAt: null });
      return customers.filter(isLinked).map(stateOf);
    }),
    serveRpc(bus, ListCustomerStates, listCustomerStates(em)),
  ];
  return async () => {
    await Promise.all(stops.map(stop => stop()));
  };
}
