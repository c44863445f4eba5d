import { randomUUID } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { InvoiceId, ProjectScope } from '@billing/contracts/ids';
import { unprocessable } from '@billing/contracts/problem';
import type { AuditContext } from '@billing/contracts/resources/audit-entry';
import { STALE, type OperationKind, type RemoteOperation } from '@billing/processor/operation-log/operation-kind';
import type { Processor } from '@billing/processor/port';
import type { InvoiceSnapshot } from '@billing/processor/snapshots/invoice';
import { audited, pendingAuditOf, type WithAudit } from '@billing/service/audited-operation';
import { z } from 'zod';
import { commitInvoice } from '#money/commit-invoice';
import { findInvoice } from '#money/invoice-rows';
import type { Invoice } from '#money/invoice.entity';
import { readInvoiceOf, type InvoiceRead } from '#money/read-invoice';
import type { Dependencies } from '../dependencies.ts';
import { collect, finalize, isSent, type Collected } from './collect.ts';
import { toOutcome, type CollectedInvoice } from './collected-invoice.ts';
import { onFailureOf } from './invoice-marks.ts';
import { paymentMethodMissing } from './find-payment-method.ts';
import { dueOf } from './preview-invoice.ts';

const input = z.object({
  processorInvoiceId: z.string(),
  /** The record's version before the processor was called. */
  version: z.int(),
});
type Input = z.output<typeof input>;

type Made = Collected & Pick<InvoiceRead, 'version'>;

/** Makes a draft final, and collects it as what it was made for says. */
export function finalizeInvoiceKind(
  dependencies: Pick<Dependencies, 'now'>,
): OperationKind<WithAudit<Input>, Made, CollectedInvoice> {
  const commit = commitInvoice(dependencies);
  return audited<Input, Made, CollectedInvoice>({
    name: 'finalize-invoice',
    input,
    async send(processor, { input: { processorInvoiceId: id, version }, idempotencyKey, attempt }) {
      const invoice = await processor.findInvoice(id);
      const how = { onFailure: onFailureOf(invoice), idempotencyKey };
      if (invoice.status !== 'draft') {
        // An earlier attempt made it final.
        if (attempt === 1) throw notDraft();
        return { ...(await collect(processor, invoice, how)), version };
      }
      if (!isSent(invoice) && dueOf(invoice) > 0) await requirePaymentMethod(processor, invoice);
      return { ...(await collect(processor, await finalize(processor, invoice, how), how)), version };
    },
    async findExisting(processor, operation, em) {
      const { snapshot, version } = await readInvoiceOf(processor, toObject(operation), em);
      if (snapshot.status === 'draft') return null;
      const idempotencyKey = `${operation.idempotencyKey}:found:${operation.attempt}`;
      return { ...(await collect(processor, snapshot, { onFailure: onFailureOf(snapshot), idempotencyKey })), version };
    },
    reread: async (processor, operation, em) => ({
      ...(await readInvoiceOf(processor, toObject(operation), em)),
      failure: null,
    }),
    async commit(tx, operation, { failure, ...read }, publish, cause) {
      const invoice = await commit(tx, { ...toObject(operation), operationKey: operation.id, read }, publish, cause);
      return invoice === STALE ? STALE : { invoice, failure };
    },
    cancel: async () => undefined,
  });
}

/**
 * Makes a draft final and goes on as if it had just been made: charges or mails it, and voids or keeps it when that fails. The same
 * operation key gives the same result.
 * @throws Problem 404 `invoice_not_found`; 422 `invoice_not_draft`, also for what only the processor knows;
 * `payment_method_missing`, with the draft left; `payment_failed` with the invoice voided; 409 `processor_not_connected`;
 * `processor_error` after another refusal; `unavailable` when the processor does not respond, and it may be made final later
 */
export function finalizeInvoice(dependencies: Pick<Dependencies, 'em' | 'operationLog' | 'now'>) {
  const { em, operationLog } = dependencies;
  const kind = finalizeInvoiceKind(dependencies);
  return async (
    scope: ProjectScope,
    id: InvoiceId,
    context: AuditContext,
    operationKey: string = randomUUID(),
  ): Promise<CollectedInvoice> => {
    await findInvoice(em.fork(), scope, id);
    const find = async (reader: EntityManager) => {
      const invoice = await findInvoice(reader, scope, id);
      return invoice.operationKey === operationKey ? { invoice, failure: null } : null;
    };
    const made = await operationLog.perform(kind, scope, { resourceId: id, operationKey, find }, async tx => {
      const invoice = await findInvoice(tx, scope, id);
      requireDraft(invoice);
      const { processorInvoiceId, version, status: from } = invoice;
      const changes = [{ field: 'status', from, to: 'open' }];
      const audit = pendingAuditOf(context, { target: { type: 'invoice', id }, changes });
      return { processorInvoiceId, version, audit };
    });
    return toOutcome(made);
  };
}

/**
 * Checks that an invoice is a draft beside subscriptions: those of subscriptions become final by themselves.
 * @throws Problem 422 `invoice_not_draft`
 */
export function requireDraft({ status, processorSubscriptionId }: Invoice): void {
  if (status !== 'draft') throw notDraft();
  if (processorSubscriptionId !== null)
    throw unprocessable('invoice_not_draft', 'The draft is that of a subscription, which becomes final by itself.');
}

export const notDraft = () => unprocessable('invoice_not_draft', 'The invoice is no draft any more.');

async function requirePaymentMethod(
  processor: Processor,
  { customerId, paymentMethodId }: InvoiceSnapshot,
): Promise<void> {
  if (customerId === null || paymentMethodId !== null) return;
  const { customerDefault } = await processor.findPaymentMethods(customerId);
  if (customerDefault === null) throw paymentMethodMissing();
}

const toObject = ({ teamId, projectId, input: { processorInvoiceId: id } }: RemoteOperation<Input>) => ({
  scope: { teamId, projectId },
  id,
});
