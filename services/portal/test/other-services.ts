import type { CustomerId, ProjectScope } from '@billing/contracts/ids';
import { notFound } from '@billing/contracts/problem';
import {
  DescribeCustomerBilling,
  FindCustomer,
  FindProcessorCredentials,
  FindProject,
  ScheduleCancellation,
} from '@billing/contracts/rpc/calls';
import type { Bus } from '@billing/messaging/bus';
import { serveRpc } from '@billing/messaging/rpc';
import { seal } from '@billing/processor/credentials';
import type { Logger } from 'pino';
import type { ShownInvoice, ShownSubscription } from '../src/views/portal-view.ts';

interface OtherServicesOptions {
  readonly bus: Bus;
  readonly logger: Logger;
  readonly scope: ProjectScope;
  readonly customerId: CustomerId;
  readonly processorCustomerId: string;
  readonly credentialsKey: Buffer;
  readonly secretKey: string;
}

/** What the other services return; a test changes it as it needs. */
interface State {
  customer: { name: string | null; email: string } | null;
  projectName: string;
  subscriptions: ShownSubscription[];
  invoices: ShownInvoice[];
}

/** Serves the calls of the gateway, customers, subscriptions and webhooks for one customer, over the real bus. */
export function serveOtherServices(options: OtherServicesOptions) {
  const { bus, logger, scope, customerId, processorCustomerId, credentialsKey, secretKey } = options;
  const state: State = {
    customer: { name: 'Ada Lovelace', email: 'ada@example.com' },
    projectName: 'Analytical Engines',
    subscriptions: [],
    invoices: [],
  };
  const cancellations: unknown[] = [];

  const transport = { ...bus, logger };
  const stops = {
    customer: serveRpc(transport, FindCustomer, async request => {
      const { customer } = state;
      if (!customer || request.customerId !== customerId || request.projectId !== scope.projectId) return null;
      const { projectId } = scope;
      const dates = { createdAt: new Date(), deletedAt: null };
      return { ...customer, ...dates, version: 1, id: customerId, projectId, processorCustomerId };
    }),
    project: serveRpc(transport, FindProject, async ({ teamId, projectId: id }) => ({
      id,
      teamId,
      name: state.projectName,
      baseCurrency: 'eur',
      createdAt: new Date(),
    })),
    billing: serveRpc(transport, DescribeCustomerBilling, async request => {
      if (request.customerId !== customerId) return { subscriptions: [], invoices: [], invoiceTotal: 0 };
      const { invoiceLimit, invoiceOffset } = request;
      const invoices = state.invoices.slice(invoiceOffset, invoiceOffset + invoiceLimit);
      return { subscriptions: state.subscriptions, invoices, invoiceTotal: state.invoices.length };
    }),
    cancellation: serveRpc(transport, ScheduleCancellation, async request => {
      cancellations.push(request);
      const found = state.subscriptions.find(
        ({ id }) => id === request.subscriptionId && request.customerId === customerId,
      );
      if (!found) throw notFound('subscription');
      found.cancelAtPeriodEnd = request.cancelAtPeriodEnd;
      found.cancelAt = request.cancelAtPeriodEnd ? found.currentPeriodEnd : null;
      return found;
    }),
    credentials: serveRpc(transport, FindProcessorCredentials, async ({ teamId }) => ({
      version: 1,
      livemode: false,
      sealedSecretKey: seal(credentialsKey, { teamId, kind: 'secret-key' }, secretKey),
    })),
  };

  return Object.assign(state, {
    /** The requests to schedule a cancellation, in order. */
    cancellations,
    /** Stops serving a call, as if the service that owns it were down. */
    stop: async (name: keyof typeof stops): Promise<void> => {
      await stops[name]();
      stops[name] = async () => undefined;
    },
    [Symbol.asyncDispose]: async () => {
      for (const stop of Object.values(stops)) await stop();
    },
  });
}
