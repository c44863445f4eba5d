import type { CustomerId, ProjectScope } from '@billing/contracts/ids';
import { notFound, type Problem } from '@billing/contracts/problem';
import {
  DescribeCustomerBilling,
  FindCustomer,
  FindPrices,
  FindProject,
  FindStoredPromotionCode,
  ScheduleCancellation,
} from '@billing/contracts/rpc/calls';
import type { z } from 'zod';
import type { Serve } from '@billing/service/testing/start-test-service';
import type { ShownInvoice, ShownSubscription } from '../src/views/portal-view.ts';

interface OtherServicesOptions {
  readonly serve: Serve;
  readonly scope: ProjectScope;
  readonly customerId: CustomerId;
  readonly processorCustomerId: string;
}

/** What the other services return; a test changes it as it needs. */
interface State {
  customer: { name: string | null; email: string } | null;
  projectName: string;
  subscriptions: ShownSubscription[];
  invoices: ShownInvoice[];
  /** The catalog's. */
  prices: z.output<typeof FindPrices.reply>;
  promotionCodes: z.output<typeof FindStoredPromotionCode.reply>[];
  /** What a cancellation is refused with; null when it is not. */
  refusal: Problem | null;
}

/** Serves the calls of the gateway, customers and subscriptions for one customer, over the real bus. */
export async function serveOtherServices({ serve, scope, customerId, processorCustomerId }: OtherServicesOptions) {
  const state: State = {
    customer: { name: 'Ada Lovelace', email: 'ada@example.com' },
    projectName: 'Analytical Engines',
    subscriptions: [],
    invoices: [],
    prices: [],
    promotionCodes: [],
    refusal: null,
  };
  const cancellations: unknown[] = [];

  const stops = {
    customer: await serve(FindCustomer, async request => {
      const { customer } = state;
      if (!customer || request.customerId !== customerId || request.projectId !== scope.projectId) return null;
      const { projectId } = scope;
      const dates = { createdAt: new Date(), deletedAt: null };
      const link = { processorCustomerId, externalId: null, linkedToExisting: false, balance: null };
      return { ...customer, ...dates, ...link, version: 1, id: customerId, projectId };
    }),
    project: await serve(FindProject, async ({ teamId, projectId: id }) => ({
      id,
      teamId,
      name: state.projectName,
      baseCurrency: 'eur',
      entitlementGraceDays: 7,
      createdAt: new Date(),
    })),
    billing: await serve(DescribeCustomerBilling, async request => {
      if (request.customerId !== customerId)
        return { subscriptions: [], productNames: {}, invoices: [], invoiceTotal: 0 };
      const { invoiceLimit, invoiceOffset } = request;
      const invoices = state.invoices.slice(invoiceOffset, invoiceOffset + invoiceLimit);
      return { subscriptions: state.subscriptions, productNames: {}, invoices, invoiceTotal: state.invoices.length };
    }),
    prices: await serve(FindPrices, async ({ priceIds }) =>
      state.prices.filter(({ price }) => priceIds.includes(price.id)),
    ),
    promotionCodes: await serve(
      FindStoredPromotionCode,
      async ({ promotionCodeId }) => state.promotionCodes.find(it => it?.promotionCode.id === promotionCodeId) ?? null,
    ),
    cancellation: await serve(ScheduleCancellation, async request => {
      cancellations.push(request);
      if (state.refusal) throw state.refusal;
      const found = state.subscriptions.find(
        ({ id }) => id === request.subscriptionId && request.customerId === customerId,
      );
      if (!found) throw notFound('subscription');
      found.cancelAtPeriodEnd = request.cancelAtPeriodEnd;
      found.cancelAt = request.cancelAtPeriodEnd ? found.currentPeriodEnd : null;
      return found;
    }),
  };

  return Object.assign(state, {
    /** The requests to schedule a cancellation, in order. */
    cancellations,
    /** Stops serving a call, as if the service that owns it were down. */
    stop: (name: keyof typeof stops): Promise<void> => stops[name](),
  });
}
