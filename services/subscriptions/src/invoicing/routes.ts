import { invoiceOperations as operations } from '@billing/contracts/operations/invoices';
import type { Routes } from '@billing/service/definition';
import { serve } from '@billing/service/serve';
import { bodyResolver } from '#copies/find-prices-by-key';
import { toResource } from '#money/invoice.entity';
import type { Dependencies } from '../dependencies.ts';
import { isUnpaid } from './collected-invoice.ts';
import { createInvoice } from './create-invoice.ts';
import { deleteDraft } from './delete-draft.ts';
import { finalizeInvoice } from './finalize-invoice.ts';
import { invoiceItems } from './invoice-items.ts';
import { previewInvoice } from './preview-invoice.ts';

/** Invoices beside subscriptions, and what the next invoice of a subscription bills once. */
export function invoicingRoutes(
  dependencies: Pick<Dependencies, 'em' | 'rpc' | 'processors' | 'operationLog' | 'now'>,
): Routes {
  const preview = previewInvoice(dependencies);
  const create = createInvoice(dependencies);
  const finalize = finalizeInvoice(dependencies);
  const remove = deleteDraft(dependencies);
  const items = invoiceItems(dependencies);
  const resolved = bodyResolver(dependencies);

  return app => {
    serve(app, operations.previewInvoice, async ({ params, body }) => ({
      preview: await preview(params, await resolved(params, body)),
    }));
    serve(app, operations.createInvoice, async ({ params, body, audit, operationKey, reply }) => {
      const made = await create(params, await resolved(params, body), audit, operationKey);
      if (isUnpaid(made)) reply.code(202);
      return { invoice: toResource(made.invoice) };
    });
    serve(app, operations.finalizeInvoice, async ({ params: { invoiceId, ...scope }, audit, operationKey, reply }) => {
      const made = await finalize(scope, invoiceId, audit, operationKey);
      if (isUnpaid(made)) reply.code(202);
      return { invoice: toResource(made.invoice) };
    });
    serve(app, operations.deleteInvoice, async ({ params: { invoiceId, ...scope }, audit }) => {
      await remove(scope, invoiceId, audit);
      return { success: true };
    });
    serve(
      app,
      operations.createInvoiceItem,
      async ({ params: { subscriptionId, ...scope }, body, audit, operationKey }) => {
        const {
          lines: [line],
        } = await resolved(scope, { lines: [body] as const });
        return { invoiceItem: await items.create(scope, subscriptionId, line, audit, operationKey) };
      },
    );
    serve(app, operations.listInvoiceItems, async ({ params: { subscriptionId, ...scope } }) => ({
      invoiceItems: await items.list(scope, subscriptionId),
    }));
    serve(app, operations.deleteInvoiceItem, async ({ params: { subscriptionId, itemId, ...scope }, audit }) => {
      await items.remove(scope, subscriptionId, itemId, audit);
      return { success: true };
    });
  };
}
