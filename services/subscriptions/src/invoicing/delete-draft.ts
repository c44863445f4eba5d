import type { EntityManager } from '@mikro-orm/postgresql';
import type { InvoiceId, ProjectScope } from '@billing/contracts/ids';
import type { AuditContext } from '@billing/contracts/resources/audit-entry';
import { isRefused, nullIfMissing } from '@billing/processor/errors';
import type { OperationKind } from '@billing/processor/operation-log/operation-kind';
import { audited, pendingAuditOf, type WithAudit } from '@billing/service/audited-operation';
import { z } from 'zod';
import { applyInvoiceEvents } from '#money/apply-invoice-events';
import { findInvoice } from '#money/invoice-rows';
import type { Dependencies } from '../dependencies.ts';
import { notDraft, requireDraft } from './finalize-invoice.ts';

const input = z.object({ processorInvoiceId: z.string() });
type Input = z.output<typeof input>;

/** Deletes a draft at the processor, and its record. */
export function deleteDraftKind({
  now,
}: Pick<Dependencies, 'now'>): OperationKind<WithAudit<Input>, 'deleted', 'deleted'> {
  const apply = applyInvoiceEvents({ now });
  return audited<Input, 'deleted', 'deleted'>({
    name: 'delete-invoice',
    input,
    async send(processor, { input: { processorInvoiceId: id } }) {
      await processor.deleteDraft(id).catch(async (err: unknown) => {
        if (isRefused(err) && (await processor.findInvoice(id)).status !== 'draft') throw notDraft();
        throw err;
      });
      return 'deleted';
    },
    async findExisting(processor, { input: { processorInvoiceId: id } }) {
      return (await processor.findInvoice(id).catch(nullIfMissing)) ? null : 'deleted';
    },
    async commit(tx, { teamId, projectId, input: { processorInvoiceId: id } }, deleted, publish, cause) {
      await apply(tx, [], publish, [{ scope: { teamId, projectId }, id, source: { at: now(), cause } }]);
      return deleted;
    },
    cancel: async () => undefined,
  });
}

/**
 * Deletes a draft beside subscriptions.
 * @throws Problem 404 `invoice_not_found`; 422 `invoice_not_draft`, also for what only the processor knows; 409
 * `processor_not_connected`; `processor_error` after another refusal; `unavailable` when the processor does not respond, and it
 * may be deleted later
 */
export function deleteDraft(dependencies: Pick<Dependencies, 'operationLog' | 'now'>) {
  const { operationLog, now } = dependencies;
  const kind = deleteDraftKind({ now });
  return async (scope: ProjectScope, id: InvoiceId, context: AuditContext): Promise<void> => {
    await operationLog.perform(kind, scope, { resourceId: id }, async (tx: EntityManager) => {
      const invoice = await findInvoice(tx, scope, id);
      requireDraft(invoice);
      const changes = [{ field: 'status', from: invoice.status, to: null }];
      const audit = pendingAuditOf(context, { target: { type: 'invoice', id }, changes });
      return { processorInvoiceId: invoice.processorInvoiceId, audit };
    });
  };
}
