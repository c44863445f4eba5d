import { subscriptionsOperations as operations } from '@billing/contracts/operations/subscriptions';
import type { HttpServer } from '@billing/service/http';
import { serve } from '@billing/service/serve';
import { listInvoices } from '#operations/list-invoices.ts';
import { toResource } from '#wire/invoice.ts';
import type { Dependencies } from '../dependencies.ts';

/** Invoices, to read. */
export function serveInvoices(app: HttpServer, { em }: Dependencies): void {
  serve(app, operations.listInvoices, async ({ params, query }) => {
    const { invoices, pagination } = await listInvoices(em.fork(), params, query);
    return { invoices: invoices.map(toResource), pagination };
  });
}
