import type { Routes } from '@billing/service/definition';
import { subscriptionsOperations as operations } from '@billing/contracts/operations/subscriptions';
import { serve } from '@billing/service/serve';
import { listInvoices } from '#operations/list-invoices.ts';
import { toResource } from '#persistence/invoice.entity.ts';
import type { Dependencies } from '../dependencies.ts';

/** Invoices, which are read-only. */
export function invoiceRoutes(dependencies: Pick<Dependencies, 'em' | 'now'>): Routes {
  const list = listInvoices(dependencies);
  return app =>
    serve(app, operations.listInvoices, async ({ params, query }) => {
      const { invoices, pagination } = await list(params, query);
      return { invoices: invoices.map(toResource), pagination };
    });
}
