import type { Operation } from '../operation.ts';
import { analyticsOperations } from './analytics.ts';
import { catalogDocumentOperations } from './catalog-documents.ts';
import { catalogOperations } from './catalog.ts';
import { customersOperations } from './customers.ts';
import { discountOperations } from './discounts.ts';
import { dunningOperations } from './dunning.ts';
import { featureOperations, grantOperations } from './features.ts';
import { gatewayOperations } from './gateway.ts';
import { invoiceOperations } from './invoices.ts';
import { outgoingOperations } from './outgoing.ts';
import { planChangeOperations } from './plan-changes.ts';
import { portalOperations } from './portal.ts';
import { priceMigrationOperations } from './price-migrations.ts';
import { referralsOperations } from './referrals.ts';
import { stateOperations } from './state.ts';
import { subscriptionsOperations } from './subscriptions.ts';
import { syncOperations } from './syncs.ts';
import { testCardOperations, testClockOperations } from './test-clocks.ts';
import { usageOperations } from './usage.ts';
import { webhooksOperations } from './webhooks.ts';

/** Every operation of the API, by id. The portal's HTML page is not an operation. */
export const operations = {
  ...gatewayOperations,
  ...catalogOperations,
  ...catalogDocumentOperations,
  ...featureOperations,
  ...discountOperations,
  ...customersOperations,
  ...grantOperations,
  ...testClockOperations,
  ...testCardOperations,
  ...usageOperations,
  ...subscriptionsOperations,
  ...planChangeOperations,
  ...invoiceOperations,
  ...dunningOperations,
  ...priceMigrationOperations,
  ...stateOperations,
  ...referralsOperations,
  ...analyticsOperations,
  ...webhooksOperations,
  ...syncOperations,
  ...outgoingOperations,
  ...portalOperations,
} as const;

export const allOperations: readonly Operation[] = Object.values(operations);
