import type { Operation } from '../operation.ts';
import { analyticsOperations } from './analytics.ts';
import { catalogOperations } from './catalog.ts';
import { customersOperations } from './customers.ts';
import { gatewayOperations } from './gateway.ts';
import { portalOperations } from './portal.ts';
import { referralsOperations } from './referrals.ts';
import { subscriptionsOperations } from './subscriptions.ts';
import { webhooksOperations } from './webhooks.ts';

/** Everything callers may do, by operation id. The portal page itself is a page and not among them. */
export const operations = {
  ...gatewayOperations,
  ...catalogOperations,
  ...customersOperations,
  ...subscriptionsOperations,
  ...referralsOperations,
  ...analyticsOperations,
  ...webhooksOperations,
  ...portalOperations,
} as const;

export const allOperations: readonly Operation[] = Object.values(operations);
