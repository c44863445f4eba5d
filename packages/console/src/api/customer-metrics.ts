import type { AnalyticsCustomer } from '@billing/client';
import { findTogether } from './find-together.ts';

/** Finds the status and the monthly revenue of a customer. */
export const findCustomerMetrics = findTogether<AnalyticsCustomer & { readonly id: string }>(async ({ billing }, ids) =>
  (await billing.analytics.customers(ids)).map(customer => ({ ...customer, id: customer.customerId })),
);
