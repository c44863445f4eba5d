import type { Routes } from '@billing/service/definition';
import { subscriptionsOperations as operations } from '@billing/contracts/operations/subscriptions';
import { serve } from '@billing/service/serve';
import { listPayments } from '#operations/list-payments.ts';
import type { Dependencies } from '../dependencies.ts';

/** Payments, which are read-only. */
export function paymentRoutes(dependencies: Pick<Dependencies, 'em'>): Routes {
  const list = listPayments(dependencies);
  return app => serve(app, operations.listPayments, ({ params, query }) => list(params, query));
}
