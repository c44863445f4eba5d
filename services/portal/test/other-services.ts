import { SubscriptionChangeId, type CustomerId, type ProjectScope, type SubscriptionId } from '@billing/contracts/ids';
import { notFound, Problem, unprocessable } from '@billing/contracts/problem';
import {
  NO_DETAILS,
  portalBillingDetails,
  type PortalBillingDetails,
} from '@billing/contracts/resources/billing-details';
import type { MadeChange, PlanChangePreview } from '@billing/contracts/resources/plan-change';
import {
  AcceptSaveOffer,
  ChangeCustomerPlan,
  DescribeCustomerBilling,
  DropCustomerPlan,
  FindSaveOffer,
  PauseCustomerSubscription,
  PreviewCustomerPlan,
  PreviewCustomerResume,
  ResumeCustomerSubscription,
  ScheduleCancellation,
} from '@billing/contracts/rpc/as-customer';
import {
  FindBillingDetails,
  FindCustomer,
  FindPrices,
  FindPricesByKey,
  FindProject,
  FindStoredPromotionCode,
  UpdateBillingDetails,
} from '@billing/contracts/rpc/calls';
import type { z } from 'zod';
import type { Serve } from '@billing/service/testing/start-test-service';
import { customerState } from '@billing/testing/customer-state';
import { projectState } from '@billing/testing/projects';
import { aPreview } from './billing-samples.ts';
import type { ShownInvoice, ShownSubscription } from '../src/views/portal-view.ts';

interface OtherServicesOptions {
  readonly serve: Serve;
  readonly scope: ProjectScope;
  readonly customerId: CustomerId;
  readonly processorCustomerId: string;
}

/** A change of plan that was requested, and what it was replied. */
interface Change {
  readonly request: z.output<typeof ChangeCustomerPlan.request>;
  readonly reply: z.output<typeof ChangeCustomerPlan.reply>;
}

/** What the other services return; a test changes it as it needs. */
interface State {
  /** What customers are offered who cancel. */
  saveOffer: z.output<typeof FindSaveOffer.reply>;
  customer: { name: string | null; email: string; locale?: string } | null;
  details: PortalBillingDetails;
  /** What a change of the billing details is refused with. */
  detailsRefusal: Problem | null;
  projectName: string;
  subscriptions: ShownSubscription[];
  invoices: ShownInvoice[];
  /** The catalog's. */
  prices: z.output<typeof FindPrices.reply>;
  promotionCodes: z.output<typeof FindStoredPromotionCode.reply>[];
  /** What a change of plan is previewed as. */
  preview: PlanChangePreview;
  /** How a change of plan is made. */
  changeStatus: MadeChange['status'];
  /** What a change of plan is refused with that could be previewed. */
  changeRefusal: Problem | null;
  /** What a change, or its preview, is refused with; null when it is not. */
  refusal: Problem | null;
}

/** Serves the calls of the gateway, customers and subscriptions for one customer, over the real bus. */
export async function serveOtherServices({ serve, scope, customerId, processorCustomerId }: OtherServicesOptions) {
  const state: State = {
    customer: { name: 'Ada Lovelace', email: 'ada@example.com' },
    details: portalBillingDetails.decode({ ...NO_DETAILS, customerId, updatedAt: '2026-11-01T00:00:00.000Z' }),
    detailsRefusal: null,
    projectName: 'Analytical Engines',
    subscriptions: [],
    invoices: [],
    prices: [],
    promotionCodes: [],
    preview: aPreview(),
    changeStatus: 'applied',
    changeRefusal: null,
    refusal: null,
    saveOffer: null,
  };
  const [previews, changes] = [[] as z.output<typeof PreviewCustomerPlan.request>[], [] as Change[]];
  /** Finds a subscription of the customer, unless the change is refused. */
  const find = (request: { readonly customerId: CustomerId; readonly subscriptionId: SubscriptionId }) => {
    if (state.refusal) throw state.refusal;
    const found = state.subscriptions.find(
      ({ id }) => id === request.subscriptionId && request.customerId === customerId,
    );
    if (!found) throw notFound('subscription');
    return found;
  };
  const cancellations: unknown[] = [];
  const pauses: z.output<typeof PauseCustomerSubscription.request>[] = [];
  const resumes: z.output<typeof ResumeCustomerSubscription.request>[] = [];
  const detailsChanges: z.output<typeof UpdateBillingDetails.request>[] = [];

  const stops = {
    customer: await serve(FindCustomer, async request => {
      const { customer } = state;
      if (!customer || request.customerId !== customerId || request.projectId !== scope.projectId) return null;
      const { projectId } = scope;
      const { locale, ...fields } = customer;
      return { ...customerState({ ...fields, id: customerId, projectId, processorCustomerId }), locale };
    }),
    details: await serve(FindBillingDetails, async request => {
      if (request.customerId !== customerId) throw notFound('customer');
      return state.details;
    }),
    updateDetails: await serve(UpdateBillingDetails, async request => {
      detailsChanges.push(request);
      if (state.detailsRefusal) throw state.detailsRefusal;
      const { taxIds, ...plain } = request.wanted;
      const known = taxIds?.map(taxId => ({ ...taxId, verification: 'pending' as const })) ?? state.details.taxIds;
      state.details = Object.assign({}, state.details, plain, { taxIds: known });
      return state.details;
    }),
    project: await serve(FindProject, async of => projectState(of, { name: state.projectName, baseCurrency: 'eur' })),
    billing: await serve(DescribeCustomerBilling, async request => {
      if (request.customerId !== customerId)
        return { subscriptions: [], productNames: {}, invoices: [], invoiceTotal: 0 };
      const { invoiceLimit, invoiceOffset } = request;
      const productNames = Object.fromEntries(state.prices.map(({ price, product }) => [price.id, product.name]));
      const invoices = state.invoices.slice(invoiceOffset, invoiceOffset + invoiceLimit);
      return { subscriptions: state.subscriptions, productNames, invoices, invoiceTotal: state.invoices.length };
    }),
    prices: await serve(FindPrices, async ({ priceIds }) =>
      state.prices.filter(({ price }) => priceIds.includes(price.id)),
    ),
    pricesByKey: await serve(FindPricesByKey, async ({ keys }) =>
      state.prices.filter(({ price: { key, isActive } }) => isActive && key !== null && keys.includes(key)),
    ),
    promotionCodes: await serve(
      FindStoredPromotionCode,
      async ({ promotionCodeId }) => state.promotionCodes.find(it => it?.promotionCode.id === promotionCodeId) ?? null,
    ),
    cancellation: await serve(ScheduleCancellation, async request => {
      cancellations.push(request);
      const found = find(request);
      found.cancelAtPeriodEnd = request.cancelAtPeriodEnd;
      if (request.declinesOffer) found.saveOffer = 'declined';
      found.cancelAt = request.cancelAtPeriodEnd ? found.currentPeriodEnd : null;
      return found;
    }),
    saveOffer: await serve(FindSaveOffer, async request => (find(request).saveOffer ? null : state.saveOffer)),
    accept: await serve(AcceptSaveOffer, async request => {
      const found = find(request);
      if (found.saveOffer || !state.saveOffer) throw unprocessable('save_offer_not_available', 'No offer is made.');
      found.saveOffer = 'accepted';
      return found;
    }),
    preview: await serve(PreviewCustomerPlan, async request => {
      previews.push(request);
      find(request);
      return state.preview;
    }),
    change: await serve(ChangeCustomerPlan, async request => {
      const repeated = changes.find(it => request.operationKey && it.request.operationKey === request.operationKey);
      if (repeated) return repeated.reply;
      const { changeRefusal } = state;
      if (changeRefusal) throw changeRefusal;
      const reply = { change: changed(find(request), request, state), subscription: find(request) };
      changes.push({ request, reply });
      return reply;
    }),
    pause: await serve(PauseCustomerSubscription, async request => {
      pauses.push(request);
      const found = find(request);
      if (found.pauseCollection) throw unprocessable('already_paused', 'It is paused.');
      found.pauseCollection = { behavior: 'void', resumesAt: request.resumesAt };
      return found;
    }),
    previewResume: await serve(PreviewCustomerResume, async request => {
      find(request);
      return state.preview;
    }),
    resume: await serve(ResumeCustomerSubscription, async request => {
      resumes.push(request);
      const found = find(request);
      const { amountDue: actual } = state.preview;
      const { expectedAmountDue: expected } = request;
      if (found.status === 'paused' && expected < actual)
        throw new Problem('conflict', 'amount_changed', 'It costs more.', { details: { expected, actual } });
      if (state.changeRefusal) throw state.changeRefusal;
      if (found.status !== 'paused' && !found.pauseCollection) throw unprocessable('not_paused', 'It is not paused.');
      Object.assign(found, { pauseCollection: null, status: 'active' });
      return found;
    }),
    drop: await serve(DropCustomerPlan, async request => {
      const found = find(request);
      if (!found.pendingChange && !found.scheduledChange) throw notFound('change');
      if (found.pendingChange) found.pendingChange = null;
      else found.scheduledChange = null;
      return found;
    }),
  };

  return Object.assign(state, {
    /** The requests to schedule a cancellation, in order. */
    cancellations,
    /** The requests to pause, and those to resume, in order. */
    pauses,
    resumes,
    /** The changes of billing details that were requested, in order. */
    detailsChanges,
    /** The previews that were requested, in order. */
    previews,
    /** The changes of plan that were made, in order. */
    changes,
    /** Stops serving a call, as if the service that owns it were down. */
    stop: (name: keyof typeof stops): Promise<void> => stops[name](),
  });
}

/** Makes a change of plan as a test wants it, on the subscription itself; returns it. */
function changed(
  subscription: ShownSubscription,
  { plan }: Change['request'],
  { changeStatus: status, prices, preview }: State,
): MadeChange {
  const [item] = subscription.items;
  if (!item) throw new Error('The subscription has an item.');
  const found = prices.find(({ price }) => price.id === plan.priceId);
  const { unitAmount, unitAmountDecimal, interval, intervalCount, processorPriceId } = found?.price ?? item;
  const priceId = plan.priceId ?? item.priceId;
  const quantity = plan.quantity ?? item.quantity;
  const id = SubscriptionChangeId.create();
  const items = [{ priceId, processorPriceId, quantity }];
  const effectiveAt = subscription.currentPeriodEnd;
  if (status === 'scheduled') {
    subscription.scheduledChange = { id, items, effectiveAt };
    return { id, status, items, effectiveAt };
  }
  if (status === 'pending_payment') {
    const hostedInvoiceUrl = 'https://invoice.stripe.com/i/1';
    const { amountDue } = preview;
    subscription.pendingChange = { id, items, amountDue, reason: 'declined', hostedInvoiceUrl, expiresAt: effectiveAt };
    return { id, status, items, effectiveAt: null };
  }
  subscription.items = [
    { ...item, priceId, processorPriceId, quantity, unitAmount, unitAmountDecimal, interval, intervalCount },
  ];
  subscription.productName = found?.product.name ?? subscription.productName;
  return { id, status, items, effectiveAt: new Date() };
}
