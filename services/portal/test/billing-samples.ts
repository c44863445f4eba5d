import { InvoiceId, SubscriptionId } from '@billing/contracts/ids';
import type { PlanChangePreview } from '@billing/contracts/resources/plan-change';
import { sampleInvoice, sampleSubscription } from '../src/domain/sample-billing.ts';
import type { ShownInvoice, ShownSubscription } from '../src/views/portal-view.ts';
import type { Service } from './start-service.ts';

export { SAMPLE_ITEM as item } from '../src/domain/sample-billing.ts';

const MONTH_MS = 30 * 86_400_000;

/** Returns an active monthly subscription of 29.99 usd. */
export function aSubscription(service: Service, changes: Partial<ShownSubscription> = {}): ShownSubscription {
  const now = Date.now();
  const { scope, customerId, processorCustomerId } = service;
  return sampleSubscription(scope.projectId, {
    customerId,
    processorCustomerId,
    id: SubscriptionId.create(),
    currentPeriodStart: new Date(now),
    currentPeriodEnd: new Date(now + MONTH_MS),
    createdAt: new Date(now),
    ...changes,
  });
}

/** Returns a paid invoice of 29.99 usd. */
export function anInvoice({ scope, customerId }: Service, changes: Partial<ShownInvoice> = {}): ShownInvoice {
  return sampleInvoice(scope.projectId, {
    customerId,
    id: InvoiceId.create(),
    invoicePdfUrl: 'https://pay.stripe.com/invoice/1/pdf',
    createdAt: new Date('2026-11-20T12:00:00Z'),
    ...changes,
  });
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
    debitApplied: 0,
    carriedOver: 0,
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
