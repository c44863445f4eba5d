import type { BilledItem, SubscriptionState } from '@billing/contracts/events/subscriptions';
import { InvoiceId, SubscriptionId } from '@billing/contracts/ids';
import type { PlanChangePreview } from '@billing/contracts/resources/plan-change';
import type { ShownInvoice, ShownSubscription } from '../src/views/portal-view.ts';
import type { Service } from './start-service.ts';

const MONTH_MS = 30 * 86_400_000;

/** An item of 29.99 usd a month. */
export const item: BilledItem = {
  processorPriceId: 'price_1',
  processorProductId: 'prod_1',
  priceId: null,
  unitAmount: 2999,
  unitAmountDecimal: '2999',
  billingScheme: 'per_unit',
  currency: 'usd',
  interval: 'month',
  intervalCount: 1,
  quantity: 1,
  transformQuantity: null,
  metered: false,
};

/** Returns an active monthly subscription of 29.99 usd. */
export function aSubscription(service: Service, changes: Partial<ShownSubscription> = {}): ShownSubscription {
  const now = Date.now();
  const state: SubscriptionState = {
    id: SubscriptionId.create(),
    projectId: service.scope.projectId,
    customerId: service.customerId,
    processorSubscriptionId: 'sub_1',
    processorCustomerId: service.processorCustomerId,
    priceId: null,
    status: 'active',
    quantity: 1,
    cancelAtPeriodEnd: false,
    cancelAt: null,
    canceledAt: null,
    cancellation: null,
    pauseCollection: null,
    discounts: [],
    scheduledChange: null,
    pendingChange: null,
    items: [{ ...item }],
    currentPeriodStart: new Date(now),
    currentPeriodEnd: new Date(now + MONTH_MS),
    trialEnd: null,
    startedAt: new Date(now),
    endedAt: null,
    version: 1,
    createdAt: new Date(now),
  };
  return { ...state, productName: 'Pro', hasForeignSchedule: false, ...changes };
}

/** Returns a paid invoice of 29.99 usd. */
export function anInvoice(service: Service, changes: Partial<ShownInvoice> = {}): ShownInvoice {
  return {
    id: InvoiceId.create(),
    processorInvoiceId: 'in_1',
    customerId: service.customerId,
    subscriptionId: null,
    number: 'INV-0001',
    status: 'paid',
    amountDue: 2999,
    amountPaid: 2999,
    amountRemaining: 0,
    currency: 'usd',
    billingReason: 'subscription_create',
    hostedInvoiceUrl: null,
    invoicePdfUrl: 'https://pay.stripe.com/invoice/1/pdf',
    periodStart: null,
    periodEnd: null,
    dueDate: null,
    paidAt: new Date(),
    projectId: service.scope.projectId,
    createdAt: new Date('2026-11-20T12:00:00Z'),
    updatedAt: new Date(),
    ...changes,
  };
}

/** Returns a preview of a change from 3 of 29.99 usd to 3 of 49.99 usd, half-way through a month. */
export function aPreview(changes: Partial<PlanChangePreview> = {}): PlanChangePreview {
  const now = new Date();
  const ends = new Date(now.getTime() + MONTH_MS / 2);
  const line = { quantity: 3, priceId: null, periodStart: now, periodEnd: ends, proration: true };
  return {
    direction: 'up',
    effectiveAt: now,
    currency: 'usd',
    amountDue: 3_000,
    subtotal: 3_000,
    discount: 0,
    tax: 0,
    creditApplied: 0,
    creditGranted: 0,
    total: 3_000,
    lines: [
      { ...line, description: 'Unused time on 3 × Pro', amount: -4_498 },
      { ...line, description: 'Remaining time on 3 × Team', amount: 7_498 },
    ],
    nextInvoice: { at: ends, total: 14_997 },
    prorationDate: now,
    exact: true,
    expiresAt: new Date(now.getTime() + 15 * 60_000),
    entitlementChanges: [],
    ...changes,
  };
}
