import { CustomerCreated } from '@billing/contracts/events/customers';
import {
  SubscriptionCanceled,
  SubscriptionCreated,
  SubscriptionUpdated,
} from '@billing/contracts/events/subscriptions';
import { ProjectId, type ProjectScope } from '@billing/contracts/ids';
import { ProcessorEventCompleted, type ProcessorEventType } from '@billing/contracts/processor-events';
import { newEvent } from '@billing/testing/events';
import { routedEvent } from '@billing/testing/processor-events';
import { aSubscription, subscriptionObject, type SubscriptionPayload } from './payloads.ts';
import type { Service } from './service.ts';

interface ProjectOptions {
  /** Of a customer that is at the processor already; a new one by default. */
  readonly processorCustomerId?: string;
  /** Whether the processor may have billed the customer before; false by default. */
  readonly linkedToExisting?: boolean;
  /** Whether the service has a copy of the customer; true by default. */
  readonly hasCopy?: boolean;
}

/** Starts a project of its own with one customer, and the events of one subscription of that customer. */
export async function startProject(
  service: Service,
  { processorCustomerId, linkedToExisting = false, hasCopy = true }: ProjectOptions = {},
) {
  const scope: ProjectScope = { teamId: service.scope.teamId, projectId: ProjectId.create() };
  service.addProject(scope);
  const customer = await service.createCustomer(scope, processorCustomerId, linkedToExisting);
  if (hasCopy) await service.deliver(newEvent(CustomerCreated, scope.teamId, customer));
  const base = aSubscription({ id: `sub_${scope.projectId}`, customer: customer.processorCustomerId });

  return {
    scope,
    customer,
    base,
    /** An event of the project's subscription. */
    event: (type: ProcessorEventType, createdAt: Date, changes: Partial<SubscriptionPayload> = {}) =>
      routedEvent(scope, type, subscriptionObject({ ...base, ...changes }), { createdAt }),
    subscriptions: async (query = '?activeOnly=false') => {
      const { body } = await service.call('GET', `/subscriptions${query}`, { of: scope });
      return body.subscriptions as readonly Record<string, unknown>[]; // the response has passed the operation's schema
    },
    invoices: async (query = '') => {
      const { body } = await service.call('GET', `/invoices${query}`, { of: scope });
      return body.invoices as readonly Record<string, unknown>[]; // the response has passed the operation's schema
    },
    /** The events that the service has published about the project's subscriptions. */
    published: async () => {
      const events = await service.published(SubscriptionCreated, SubscriptionUpdated, SubscriptionCanceled);
      return events.filter(({ data }) => data.projectId === scope.projectId);
    },
    /** The project's events for tenants, in order. */
    publicEvents: async () => (await service.publicEvents()).filter(({ projectId }) => projectId === scope.projectId),
    /** How the handling of the project's events ended. */
    completions: async () => {
      const events = await service.published(ProcessorEventCompleted);
      return events.flatMap(({ data }) => data.completions).filter(({ projectId }) => projectId === scope.projectId);
    },
  };
}

export type Project = Awaited<ReturnType<typeof startProject>>;
