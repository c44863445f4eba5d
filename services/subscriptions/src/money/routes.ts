import type { Routes } from '@billing/service/definition';
import { dunningOperations } from '@billing/contracts/operations/dunning';
import { invoiceOperations } from '@billing/contracts/operations/invoices';
import { subscriptionsOperations as operations } from '@billing/contracts/operations/subscriptions';
import type { Payment as PaymentResource } from '@billing/contracts/resources/payment';
import { serve } from '@billing/service/serve';
import type { Dependencies } from '../dependencies.ts';
import { changeInvoice } from './change-invoice.ts';
import { toResource as toInvoice } from './invoice.entity.ts';
import { getInvoice } from './get-invoice.ts';
import { listDunningCases } from './list-dunning-cases.ts';
import { listInvoices } from './list-invoices.ts';
import { listPayments } from './list-payments.ts';
import { toResource, type Payment } from './payment.entity.ts';
import { findPayment } from './payment-rows.ts';
import { getPaymentTotals } from './payment-totals.ts';
import { refundPayment } from './refund-payment.ts';

type MoneyDependencies = Pick<Dependencies, 'em' | 'rpc' | 'outbox' | 'processors' | 'operationLog' | 'now'>;

/** Invoices: list, get, void, mark, send. */
export function invoiceRoutes(dependencies: MoneyDependencies): Routes {
  const list = listInvoices(dependencies);
  const get = getInvoice(dependencies);
  const voidInvoice = changeInvoice('void', dependencies);
  const markUncollectible = changeInvoice('uncollectible', dependencies);
  const markPaid = changeInvoice('paidElsewhere', dependencies);
  const send = changeInvoice('sent', dependencies);

  return app => {
    serve(app, invoiceOperations.listInvoices, async ({ params, query }) => {
      const { invoices, pagination } = await list(params, query);
      return { invoices: invoices.map(toInvoice), pagination };
    });
    serve(app, invoiceOperations.getInvoice, async ({ params: { invoiceId, ...scope } }) => ({
      invoice: await get(scope, invoiceId),
    }));
    serve(app, invoiceOperations.voidInvoice, async ({ params: { invoiceId, ...scope }, audit, operationKey }) => ({
      invoice: toInvoice(await voidInvoice(scope, invoiceId, audit, operationKey)),
    }));
    serve(
      app,
      invoiceOperations.markInvoiceUncollectible,
      async ({ params: { invoiceId, ...scope }, audit, operationKey }) => ({
        invoice: toInvoice(await markUncollectible(scope, invoiceId, audit, operationKey)),
      }),
    );
    serve(app, invoiceOperations.markInvoicePaid, async ({ params: { invoiceId, ...scope }, audit, operationKey }) => ({
      invoice: toInvoice(await markPaid(scope, invoiceId, audit, operationKey)),
    }));
    serve(app, invoiceOperations.sendInvoice, async ({ params: { invoiceId, ...scope }, audit, operationKey }) => ({
      invoice: toInvoice(await send(scope, invoiceId, audit, operationKey)),
    }));
  };
}

/** Failing payments: list, and try to collect one now. */
export function dunningRoutes(dependencies: MoneyDependencies): Routes {
  const list = listDunningCases(dependencies);
  const retry = changeInvoice('paid', dependencies);

  return app => {
    serve(app, dunningOperations.listDunningCases, ({ params, query }) => list(params, query));
    serve(app, dunningOperations.retryInvoice, async ({ params: { invoiceId, ...scope }, audit, operationKey }) => ({
      invoice: toInvoice(await retry(scope, invoiceId, audit, operationKey)),
    }));
  };
}

/** Payments: list, get, refund, and their sums. */
export function paymentRoutes(dependencies: MoneyDependencies): Routes {
  const { em } = dependencies;
  const list = listPayments(dependencies);
  const totals = getPaymentTotals(dependencies);
  const refund = refundPayment(dependencies);

  return app => {
    serve(app, operations.listPayments, ({ params, query }) => list(params, query));
    serve(app, operations.getPaymentTotals, ({ params, query }) => totals(params, query));
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
