import type { Routes } from '@billing/service/definition';
import { subscriptionsOperations as operations } from '@billing/contracts/operations/subscriptions';
import { serve } from '@billing/service/serve';
import { getPaymentTotals } from '#operations/get-payment-totals.ts';
import { listPayments } from '#operations/list-payments.ts';
import type { Dependencies } from '../dependencies.ts';

/** Payments, which are read-only, and their sums. */
export function paymentRoutes(dependencies: Pick<Dependencies, 'em' | 'now'>): Routes {
  const list = listPayments(dependencies);
  const totals = getPaymentTotals(dependencies);
  return app => {
    serve(app, operations.listPayments, ({ params, query }) => list(params, query));
    serve(app, operations.getPaymentTotals, ({ params, query: { growthDays } }) => totals(params, growthDays));
  };
}
