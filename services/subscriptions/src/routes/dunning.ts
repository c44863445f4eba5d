import type { Routes } from '@billing/service/definition';
import { dunningOperations as operations } from '@billing/contracts/operations/dunning';
import { serve } from '@billing/service/serve';
import { changeInvoice } from '#operations/change-invoice.ts';
import { listDunningCases } from '#operations/list-dunning-cases.ts';
import { toResource } from '#persistence/invoice.entity.ts';
import type { Dependencies } from '../dependencies.ts';

/** Failing payments: list, and try to collect one now. */
export function dunningRoutes(
  dependencies: Pick<Dependencies, 'em' | 'outbox' | 'processors' | 'operationLog' | 'now'>,
): Routes {
  const list = listDunningCases(dependencies);
  const retry = changeInvoice('paid', dependencies);

  return app => {
    serve(app, operations.listDunningCases, ({ params, query }) => list(params, query));
    serve(app, operations.retryInvoice, async ({ params: { invoiceId, ...scope }, audit, operationKey }) => ({
      invoice: toResource(await retry(scope, invoiceId, audit, operationKey)),
    }));
  };
}
