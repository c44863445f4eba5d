import type { Routes } from '@billing/service/definition';
import { subscriptionsOperations as operations } from '@billing/contracts/operations/subscriptions';
import { serve } from '@billing/service/serve';
import { changeInvoice } from '#operations/change-invoice.ts';
import { listInvoices } from '#operations/list-invoices.ts';
import { findInvoice } from '#persistence/find-invoice.ts';
import { toResource } from '#persistence/invoice.entity.ts';
import type { Dependencies } from '../dependencies.ts';

/** Invoices: list, get, void, mark as uncollectible. */
export function invoiceRoutes(
  dependencies: Pick<Dependencies, 'em' | 'outbox' | 'processors' | 'operationLog' | 'now'>,
): Routes {
  const { em } = dependencies;
  const list = listInvoices(dependencies);
  const voidInvoice = changeInvoice('void', dependencies);
  const markUncollectible = changeInvoice('uncollectible', dependencies);

  return app => {
    serve(app, operations.listInvoices, async ({ params, query }) => {
      const { invoices, pagination } = await list(params, query);
      return { invoices: invoices.map(toResource), pagination };
    });
    serve(app, operations.getInvoice, async ({ params: { invoiceId, ...scope } }) => ({
      invoice: toResource(await findInvoice(em.fork(), scope, invoiceId)),
    }));
    serve(app, operations.voidInvoice, async ({ params: { invoiceId, ...scope }, audit, operationKey }) => ({
      invoice: toResource(await voidInvoice(scope, invoiceId, audit, operationKey)),
    }));
    serve(
      app,
      operations.markInvoiceUncollectible,
      async ({ params: { invoiceId, ...scope }, audit, operationKey }) => ({
        invoice: toResource(await markUncollectible(scope, invoiceId, audit, operationKey)),
      }),
    );
  };
}
