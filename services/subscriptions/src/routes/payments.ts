import type { Routes } from '@billing/service/definition';
import { subscriptionsOperations as operations } from '@billing/contracts/operations/subscriptions';
import type { Payment as PaymentResource } from '@billing/contracts/resources/payment';
import { serve } from '@billing/service/serve';
import { getPaymentTotals } from '#operations/get-payment-totals.ts';
import { listPayments } from '#operations/list-payments.ts';
import { refundPayment } from '#operations/refund-payment.ts';
import { findPayment } from '#persistence/find-payment.ts';
import { toResource, type Payment } from '#persistence/payment.entity.ts';
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
      payment: show(await findPayment(em.fork(), scope, paymentId)),
    }));
    serve(app, operations.refundPayment, async ({ params: { paymentId, ...scope }, body, audit, operationKey }) => ({
      payment: show(await refund(scope, paymentId, body ?? {}, audit, operationKey)),
    }));
  };
}

function show(row: Payment): PaymentResource {
  const payment = toResource(row);
  if (!payment) throw new Error(`Nothing is known of the payment ${row.id} itself.`);
  return payment;
}
