import type { Routes } from '@billing/service/definition';
import { subscriptionsOperations as operations } from '@billing/contracts/operations/subscriptions';
import { serve } from '@billing/service/serve';
import { getPaymentTotals } from '#operations/get-payment-totals.ts';
import { listPayments } from '#operations/list-payments.ts';
import { refundPayment } from '#operations/refund-payment.ts';
import { showPayment } from '#operations/show-payments.ts';
import { findPayment } from '#persistence/find-payment.ts';
import type { Dependencies } from '../dependencies.ts';

/** Payments: list, get, refund, and their sums. */
export function paymentRoutes(
  dependencies: Pick<Dependencies, 'em' | 'outbox' | 'processors' | 'operationLog' | 'now'>,
): Routes {
  const { em } = dependencies;
  const list = listPayments(dependencies);
  const totals = getPaymentTotals(dependencies);
  const refund = refundPayment(dependencies);

  return app => {
    serve(app, operations.listPayments, ({ params, query }) => list(params, query));
    serve(app, operations.getPaymentTotals, ({ params, query: { growthDays } }) => totals(params, growthDays));
    serve(app, operations.getPayment, async ({ params: { paymentId, ...scope } }) => ({
      payment: await showPayment(em.fork(), await findPayment(em.fork(), scope, paymentId)),
    }));
    serve(app, operations.refundPayment, async ({ params: { paymentId, ...scope }, body, audit, operationKey }) => {
      const refunded = await refund(scope, paymentId, body ?? {}, audit, operationKey);
      return { payment: await showPayment(em.fork(), refunded) };
    });
  };
}
