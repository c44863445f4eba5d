import type { CustomerState } from '@billing/contracts/events/customers';
import type { ProjectState } from '@billing/contracts/events/gateway';
import type { SubscriptionState } from '@billing/contracts/events/subscriptions';
import type { WebhookEventState } from '@billing/contracts/events/webhooks';
import { CustomerId, SubscriptionId, type ProjectId, type ProjectScope, type TeamId } from '@billing/contracts/ids';

/** Noon of 20 November 2026, when all of these records were created. */
const CREATED_AT = new Date('2026-11-20T12:00:00.000Z');

/** A project in US dollars. */
export const project = ({ teamId, projectId }: ProjectScope): ProjectState => ({
  id: projectId,
  teamId,
  name: 'Shop',
  baseCurrency: 'usd',
  createdAt: new Date('2025-01-01'),
  version: 1,
});

/** An item of 29.99 USD a month. */
export const item = {
  processorPriceId: 'price_1',
  priceId: null,
  unitAmount: 2_999,
  unitAmountDecimal: null,
  billingScheme: 'per_unit' as const,
  currency: 'usd',
  interval: 'month' as const,
  intervalCount: 1,
  quantity: 1,
  transformQuantity: null,
  metered: false,
};

/** A new active subscription of 29.99 USD a month. */
export function subscription({ projectId }: ProjectScope): SubscriptionState {
  return {
    id: SubscriptionId.create(),
    projectId,
    customerId: CustomerId.create(),
    processorSubscriptionId: 'sub_1',
    processorCustomerId: 'cus_1',
    priceId: null,
    status: 'active',
    quantity: 1,
    cancelAtPeriodEnd: false,
    cancelAt: null,
    canceledAt: null,
    pauseCollection: null,
    items: [item],
    currentPeriodStart: CREATED_AT,
    currentPeriodEnd: CREATED_AT,
    trialEnd: null,
    startedAt: CREATED_AT,
    endedAt: null,
    version: 1,
    createdAt: CREATED_AT,
  };
}

/** A new customer. */
export function customer({ projectId }: ProjectScope): CustomerState {
  return {
    id: CustomerId.create(),
    projectId,
    email: 'ada@example.com',
    name: null,
    processorCustomerId: 'cus_1',
    linkedToExisting: false,
    version: 1,
    createdAt: CREATED_AT,
    deletedAt: null,
  };
}

/** A webhook event of the team, routed to a project or to none. */
export function webhookEvent(
  id: string,
  { teamId, projectId }: { teamId: TeamId; projectId: ProjectId | null },
  { status, version }: Pick<WebhookEventState, 'status' | 'version'>,
): WebhookEventState {
  return {
    id,
    teamId,
    projectId,
    type: 'invoice.paid',
    apiVersion: null,
    livemode: false,
    objectId: null,
    status,
    routedBy: null,
    attempts: version,
    error: null,
    processorCreatedAt: CREATED_AT,
    receivedAt: CREATED_AT,
    processedAt: null,
    recovered: false,
    version,
  };
}
